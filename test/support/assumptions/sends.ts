import { fate, fateCase, jsonOf, mediaFate, phone, withFile, type Case } from './bench';

const reminder = { templateName: 'appointment_reminder' };
const uuid = '0b7d3a52-8f0c-4a1e-9a37-2f1f6f1f3c55';
const hour = 3_600_000;
const inFields = (...values: string[]) => ({
	parametersUi: { parameter: values.map((value) => ({ value })) },
});
const refusedIf = (isRefused: boolean, status: unknown = 400) => (isRefused ? status : 'accepted');

/** What goes to the service, and what it takes. */
export const sendCases: Record<string, Case> = {
	'a test key': {
		look: async (bench) => {
			const { test } = (await bench.control.info()).keys as { test: string };
			const credential = bench.credential(test);
			await bench.control.setAccount({ chatBalance: 5 });
			const own = await fate(bench, 'chatMessage.sendTemplate', {}, { credential });
			await bench.control.advance(hour);
			const seen = await jsonOf(bench, 'chatMessage.getMany');
			return [own, seen.length, (await bench.control.account()).chatBalance];
		},
		expected: ({ testKeys, testBilling }) =>
			testKeys === 'refused'
				? [401, 0, 5]
				: ['accepted', testKeys === 'shared' ? 1 : 0, testBilling === 'charged' ? 4 : 5],
	},
	'a key without scopes': {
		look: async (bench) => {
			const { key } = await bench.control.createKey({ scopes: [] });
			const credential = bench.credential(key);
			return [
				await fate(bench, 'phoneNumber.getMany', {}, { credential }),
				await fate(bench, 'media.upload', {}, { credential }),
				await fate(bench, 'account.getBalance', {}, { credential }),
				await fate(bench, 'chatMessage.sendTemplate', {}, { credential }),
			];
		},
		expected: ({ configsScope, uploadScope }) => [
			refusedIf(configsScope, 403),
			refusedIf(uploadScope, 403),
			'accepted',
			403,
		],
	},
	'an unknown template without credits': {
		look: async (bench) => {
			await bench.control.setAccount({ chatBalance: 0 });
			return await fate(bench, 'chatMessage.sendTemplate', { templateName: 'nope' });
		},
		expected: ({ checkOrder }) => (checkOrder === 'parametersFirst' ? 400 : 402),
	},
	'what the service might take and the node does not': {
		look: async (bench) => [
			await fate(bench, 'chatMessage.send', { phone: '12345' }),
			await fate(bench, 'chatMessage.send', { message: '  ' }),
			await fate(bench, 'bulkCampaign.create', { recipientsJson: '[]' }),
			await fate(bench, 'bulkCampaign.create', { recipientsJson: '[{"phone":"+91"}]' }),
		],
		expected: () => Array<string>(4).fill('refused'),
	},
	'an unknown media ID': fateCase(
		'chatMessage.sendMedia',
		{ mediaSource: 'mediaId', mediaId: 'none' },
		(set) => mediaFate(set, set.unknownIds),
	),
	'header parameters without a type': fateCase(
		'chatMessage.sendTemplate',
		{ header: 'json', headerParametersJson: '{"link":"x"}' },
		({ headerParameters }) => refusedIf(headerParameters === 'typed'),
	),
	'a header type of its own': fateCase(
		'chatMessage.sendTemplate',
		{ header: 'binary', headerType: 'table' },
		({ headerType }) => refusedIf(headerType === 'mediaKinds'),
	),
	'a wrong number of values': fateCase(
		'chatMessage.sendTemplate',
		{ ...reminder, ...inFields('Ann') },
		({ parameterCount }) => refusedIf(parameterCount === 'reject'),
	),
	'a blank value': fateCase(
		'chatMessage.sendTemplate',
		{ ...inFields(' '), options: { allowBlankParameters: true } },
		({ blankParameters }) => refusedIf(blankParameters === 'reject'),
	),
	'another language': fateCase(
		'chatMessage.sendTemplate',
		{ ...reminder, ...inFields('Ann', '9:00'), language: 'de' },
		({ otherLanguage }) => refusedIf(otherLanguage === 'reject'),
	),
	'an unknown number beside a file': fateCase(
		'chatMessage.sendTemplate',
		{ header: 'binary', configId: { __rl: true, mode: 'id', value: uuid } },
		({ multipartConfigId, unknownIds }) => refusedIf(multipartConfigId === 'use', unknownIds),
	),
	'an unknown header of a campaign': fateCase(
		'bulkCampaign.create',
		{ recipientsJson: JSON.stringify([{ phone, headerMediaId: 'none' }]) },
		({ headerMedia, badRecipient, unknownIds }) =>
			refusedIf(headerMedia && badRecipient === 'rejectAll', unknownIds),
	),
	'an upload that is two hours old': {
		look: async (bench) => {
			const items = [withFile('x', { fileName: 'a.png', mimeType: 'image/png' })];
			const [json] = await jsonOf(bench, 'media.upload', {}, { items });
			await bench.control.advance(2 * hour);
			const mediaId = String(json?.mediaId);
			return await fate(bench, 'chatMessage.sendMedia', { mediaSource: 'mediaId', mediaId });
		},
		expected: (set) => mediaFate(set, refusedIf(set.mediaLifetimeMs < 2 * hour, set.unknownIds)),
	},
	'a large file': fateCase(
		'media.upload',
		{},
		({ maxFileBytes }) => refusedIf(maxFileBytes < 16_000_001),
		{ items: [withFile('x'.repeat(16_000_001))] },
	),
	'a film as an image': fateCase(
		'chatMessage.sendMedia',
		{ mediaUrl: 'https://host.example/a.mp4' },
		(set) => mediaFate(set, refusedIf(set.mediaFormats)),
	),
	"another's caller ID": fateCase(
		'voiceCall.create',
		{ fromNumber: '+1 415 555 0177' },
		({ fromNumber }) => refusedIf(fromNumber === 'owned'),
	),
	'an unknown route': fateCase(
		'voiceCall.create',
		{ voiceRoute: 'ownNumber', routeNumber: 'mars' },
		({ unknownRoute }) => refusedIf(unknownRoute === 'reject'),
	),
	'a number without a country': {
		look: async (bench) => (await jsonOf(bench, 'voiceCall.create', { to: '9812345678' }))[0]?.to,
		expected: ({ nationalNumbers, voiceNumbers }) => {
			const digits = nationalNumbers === 'indian' ? '919812345678' : '9812345678';
			return voiceNumbers === 'plus' ? `+${digits}` : digits;
		},
	},
	'the cost of a message': {
		look: async (bench) => {
			await bench.control.setAccount({ chatBalance: 10 });
			const [json] = await jsonOf(bench, 'chatMessage.send');
			return [json?.cost, (await bench.control.account()).chatBalance];
		},
		expected: ({ chatSendCost }) => [chatSendCost, 10 - chatSendCost],
	},
	'too few credits for a campaign': {
		look: async (bench) => {
			await bench.control.setAccount({ chatBalance: 1 });
			const recipients = [{ phone }, { phone: '919812345679' }];
			const recipientsJson = JSON.stringify(recipients);
			return await fate(bench, 'bulkCampaign.create', { recipientsJson });
		},
		expected: ({ bulkCharge }) => refusedIf(bulkCharge === 'whole', 402),
	},
	'a webhook of this machine': fateCase(
		'webhook.create',
		{ url: 'http://localhost:80/x' },
		({ loopbackWebhooks }) => refusedIf(loopbackWebhooks === 'https'),
	),
	'the same webhook twice': {
		look: async (bench) => [
			await fate(bench, 'webhook.create'),
			await fate(bench, 'webhook.create'),
		],
		expected: ({ duplicateWebhookUrl }) => [
			'accepted',
			refusedIf(duplicateWebhookUrl === 'reject'),
		],
	},
	'no browser session': {
		look: async (bench) => {
			await bench.control.setChatSession(false);
			const node = { onError: 'continueRegularOutput' as const };
			const [json] = await jsonOf(bench, 'chatMessage.send', {}, { node });
			const { outcome, statusCode, screenshot } = json?.details as Record<string, unknown>;
			return [outcome, statusCode, screenshot === null ? 'null' : typeof screenshot];
		},
		expected: ({ screenshot }) => {
			const kinds = { base64: 'string', url: 'string', null: 'null', object: 'object' };
			return ['rejected', 500, kinds[screenshot]];
		},
	},
};
