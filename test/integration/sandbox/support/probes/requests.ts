import type { AssumptionName } from '../../../../../sandbox';
import { call, formOf, phone, statuses, template, type Bench, type Probe } from './probe';

/** A POST of which the status matters. */
function post(path: string, body: unknown, shows: [number, number]): Probe {
	return { look: async ({ fixture }) => (await fixture.api.post(path, body)).status, shows };
}

const media = { phone, type: 'image', mediaUrl: 'https://files.example/a.png' };
const reminder = { phone, templateName: 'appointment_reminder' };
const bulk = { templateName: 'order_update', recipients: [{ phone }] };

async function sentStatuses({ fixture }: Bench, recipients: object[]): Promise<unknown> {
	const { status } = await fixture.api.post('/chat/bulk-send', { ...bulk, recipients });
	await fixture.control.settle();
	return [status, ...(await fixture.control.messages()).map((one) => one.status)];
}

/** Which keys are taken, and what is taken of a request. */
export const requestProbes = {
	testKeys: {
		look: async ({ fixture }) => {
			const test = fixture.caller({ 'x-api-key': fixture.sandbox.keys.test });
			const { status } = await test.post('/chat/send', { phone, message: 'Hello' });
			const own = (await test.get('/chat/campaigns')).data.total;
			return [status, own, (await fixture.api.get('/chat/campaigns')).data.total];
		},
		shows: [
			[200, 1, 0],
			[200, 1, 1],
			[401, undefined, 0],
		],
	},
	testBilling: {
		look: async ({ fixture }) => {
			const test = fixture.caller({ 'x-api-key': fixture.sandbox.keys.test });
			await fixture.control.setAccount({ chatBalance: 5 });
			const { data } = await test.post('/chat/send-template', template);
			await test.post('/chat/bulk-send', bulk);
			await fixture.control.settle();
			return [data.cost, data.remainingBalance, (await fixture.control.account()).chatBalance];
		},
		shows: [
			[1, 4, 3],
			[0, 5, 5],
		],
	},
	configsScope: {
		look: async ({ fixture }) => {
			const { key } = await fixture.control.createKey({ scopes: [] });
			return (await fixture.caller({ 'x-api-key': key }).get('/chat/configs')).status;
		},
		shows: [200, 403],
	},
	uploadScope: {
		look: async ({ fixture }) => {
			const { key } = await fixture.control.createKey({ scopes: [] });
			const caller = fixture.caller({ 'x-api-key': key });
			return (await caller.post('/chat/upload', formOf({}, { name: 'a.pdf', bytes: 1 }))).status;
		},
		shows: [200, 403],
	},
	checkOrder: {
		look: async ({ fixture }) => {
			await fixture.control.setAccount({ chatBalance: 0, emailBalance: 0, voiceMins: 0 });
			const paths = ['/chat/send', '/chat/send-template', '/chat/send-media', '/chat/bulk-send'];
			const all = [...paths, '/voice/call', '/email/send'];
			return await statuses(...all.map((path) => () => fixture.api.post(path, {})));
		},
		shows: [Array(6).fill(400), Array(6).fill(402)],
	},
	unknownFields: {
		look: ({ fixture: { api } }) =>
			statuses(
				() => api.post('/chat/send', { phone, message: 'Hello', more: 1 }),
				() => api.get('/chat/campaigns?more=1'),
				() => api.post('/chat/bulk-send', { ...bulk, recipients: [{ phone, more: 1 }] }),
				() => api.post('/chat/send', { phone, message: 'Hello' }),
			),
		shows: [
			[200, 200, 200, 200],
			[400, 400, 400, 200],
		],
	},
	unknownIds: {
		look: ({ fixture: { api } }) =>
			statuses(
				() => api.post('/chat/send-media', { phone, type: 'image', mediaId: '1' }),
				() => api.post('/chat/send-template', { ...template, configId: '1' }),
			),
		shows: [
			[400, 400],
			[404, 404],
		],
	},
	headerParameters: post(
		'/chat/send-template',
		{ ...template, headerParameters: { link: 'x' } },
		[200, 400],
	),
	headerType: post('/chat/send-template', { ...template, headerType: 'table' }, [200, 400]),
	parameterCount: post('/chat/send-template', { ...reminder, parameters: ['Ann'] }, [400, 200]),
	blankParameters: post('/chat/send-template', { ...template, parameters: [' '] }, [200, 400]),
	otherLanguage: post(
		'/chat/send-template',
		{ ...reminder, parameters: ['Ann', '9:00'], language: 'de' },
		[400, 200],
	),
	multipartConfigId: {
		look: async ({ fixture }) =>
			(await fixture.api.post('/chat/send-template', formOf({ ...template, configId: 'none' })))
				.status,
		shows: [400, 200],
	},
	headerMedia: post(
		'/chat/bulk-send',
		{ ...bulk, recipients: [{ phone, headerMediaId: '1' }] },
		[200, 400],
	),
	mediaLifetimeMs: {
		look: async ({ fixture }) => {
			const form = formOf({}, { name: 'a.png', bytes: 1 });
			const { mediaId } = (await fixture.api.post('/chat/upload', form)).data;
			await fixture.control.advance(3_600_000);
			return (await fixture.api.post('/chat/send-media', { phone, type: 'image', mediaId })).status;
		},
		shows: [200, 400],
	},
	maxFileBytes: {
		look: async ({ fixture }) => {
			const form = formOf({}, { name: 'a.pdf', bytes: 16_000_001 });
			return (await fixture.api.post('/chat/upload', form)).status;
		},
		shows: [200, 400],
	},
	mediaFormats: {
		look: ({ fixture: { api } }) =>
			statuses(
				() => api.post('/chat/upload', formOf({}, { name: 'a.tiff', bytes: 1 })),
				() => api.post('/chat/send-media', { ...media, mediaUrl: 'https://files.example/a.mp4' }),
			),
		shows: [
			[400, 400],
			[200, 200],
		],
	},
	fromNumber: {
		look: ({ fixture: { api } }) =>
			statuses(
				...['12', '+1 415 555 0177', '+918040001234'].map(
					(fromNumber) => () => api.post('/voice/call', { ...call, fromNumber }),
				),
			),
		shows: [
			[200, 200, 200],
			[400, 200, 200],
			[400, 400, 200],
		],
	},
	unknownRoute: post('/voice/call', { ...call, voiceRoute: 'mars' }, [400, 200]),
	nationalNumbers: {
		look: async ({ fixture }) =>
			(await fixture.api.post('/voice/call', { ...call, to: '9812345678' })).data.to,
		shows: ['+919812345678', '+9812345678'],
	},
	chatSendCost: {
		look: async ({ fixture }) => {
			await fixture.control.setAccount({ chatBalance: 10 });
			const { data } = await fixture.api.post('/chat/send', { phone, message: 'Hello' });
			return [data.cost, data.remainingBalance];
		},
		shows: [
			[1, 9],
			[0, 10],
			[3, 7],
		],
	},
	badRecipient: {
		look: (bench) => sentStatuses(bench, [{ phone }, { phone: '+91' }, { params: ['x'] }]),
		shows: [[400], [200, 'Sent', 'Failed', 'Failed']],
	},
	bulkCharge: {
		look: async (bench) => {
			await bench.fixture.control.setAccount({ chatBalance: 1 });
			return await sentStatuses(bench, [{ phone }, { phone }]);
		},
		shows: [[402], [200, 'Sent', 'Failed']],
	},
	duplicateWebhookUrl: {
		look: ({ fixture: { api } }) => {
			const register = () => api.post('/chat/webhooks', { url: 'https://receiver.example/x' });
			return statuses(register, register);
		},
		shows: [
			[201, 201],
			[201, 400],
		],
	},
	loopbackWebhooks: post('/chat/webhooks', { url: 'http://localhost:80/x' }, [201, 400]),
} satisfies Partial<Record<AssumptionName, Probe>>;
