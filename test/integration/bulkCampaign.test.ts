import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { filter, groupBy, map, omit, partition, pick, range, sumBy, uniq } from 'lodash';
import {
	createRunExecutionData,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const plain = { resource: 'bulkCampaign', operation: 'create', templateName: 'order_update' };
const campaign: INodeParameters = {
	...plain,
	paramsFields: 'name, order.id',
	additionalFields: { nameField: 'name' },
};
const fromJson = { ...plain, recipientsSource: 'json', recipientsJson: '={{ $json.list }}' };
const path = '/chat/bulk-send';

const phoneOf = (index: number) => String(999_000_000_000 + index);
const json = (...items: IDataObject[]) => items.map((item) => ({ json: item }));
const rows = (count: number) =>
	json(
		...range(count).map((index) => ({
			...{ phone: Number(phoneOf(index)), name: `N${index}`, order: { id: index } },
		})),
	);
const tooShort = { phone: '0170', name: 'X', order: { id: 1 } };

const recipientsOf = (body: unknown) => (body as { recipients: IDataObject[] }).recipients;
const sentChunks = async () => (await sandbox.bodies(path)).map(recipientsOf);

/** Sending number and phone numbers of each request. */
const sent = async () =>
	(await sandbox.bodies(path)).map((body) => [body.configId, map(recipientsOf(body), 'phone')]);

test('a request has 10,000 recipients at most, and nothing of columns that were not entered', async () => {
	const items = json(...range(10_001).map((index) => ({ phone: phoneOf(index), '': 'x' })));
	await sandbox.run(plain, { items });
	const chunks = await sentChunks();
	expect(map(chunks, 'length')).toEqual([10_000, 1]);
	expect(chunks[1]).toEqual([{ phone: phoneOf(10_000) }]);
});

test('the first 20 invalid recipients are listed, and nothing is sent', async () => {
	const items = [...rows(2), ...json(...Array<IDataObject>(25).fill(tooShort))];
	const error = await sandbox.failure(campaign, { items });
	expect(error.message).toBe('Invalid recipients: 25 of 27');
	const [advice, ...lines] = String(error.description).split('<br />');
	expect(advice).toContain('Invalid Recipients');
	expect(lines[0]).toContain(
		'item 2 (row 4 of a whole sheet): the phone number "0170" starts with a zero',
	);
	expect(lines[19]).toContain('item 21 ');
	expect(lines[20]).toBe('and 5 more. This node sent nothing.');
	expect(await sandbox.requests()).toEqual([]);
});

test('rows to excluded recipients are left out and reported, even if they are invalid', async () => {
	const items = [...rows(4), ...json({ phone: phoneOf(9) }, { phone: '14155550100' })];
	const options = {
		allowedRecipients: map(rows(4), 'json.phone'),
		excludedRecipients: [`+${phoneOf(1)}`, phoneOf(9)],
		checkBalance: 'utility',
	};
	const run = (invalidRecipients: string) =>
		[
			{ ...campaign, options: { ...options, invalidRecipients } } as INodeParameters,
			{ items },
		] as const;
	await sandbox.control.setAccount({ chatBalance: 3 });
	const excluded = [
		{ row: 2, value: phoneOf(1) },
		{ row: 5, value: phoneOf(9) },
	];
	const reason = 'Allowed Recipients does not include 14155550100';
	expect(await sandbox.json(...run('skip'))).toMatchObject([
		{ total: 3, excludedCount: 2, excluded, skipped: [{ row: 6, reason }] },
	]);
	expect(await sent()).toEqual([[undefined, [phoneOf(0), phoneOf(2), phoneOf(3)]]]);
	expect((await sandbox.failure(...run('stop'))).message).toContain(`: ${reason}`);
});

test('each sending number makes a campaign, however it is written', async () => {
	const [first, second] = await sandbox.json({ resource: 'phoneNumber', operation: 'getMany' });
	const configId = { __rl: true, mode: 'id', value: '={{ $json.from }}' };
	const items = json(
		{ phone: phoneOf(0), from: `+${String(first?.phoneNumber)}` },
		{ phone: phoneOf(1), from: second?.id },
		{ phone: phoneOf(2), from: first?.phoneNumber },
	);
	await sandbox.run({ ...plain, additionalFields: { configId } }, { items });
	expect(await sent()).toEqual([
		[first?.phoneNumber, [phoneOf(0), phoneOf(2)]],
		[second?.id, [phoneOf(1)]],
	]);
});

test.each([null, undefined, '', ' '])(
	'a language, a sending number or a header that is %j is left out',
	async (nothing) => {
		const configId = { __rl: true, mode: 'id', value: '={{ $json.nothing }}' };
		const additionalFields = { language: '={{ $json.nothing }}', configId };
		const header = { campaignHeader: 'perRecipient', headerValueField: 'nothing' };
		const items = json({ phone: phoneOf(0), nothing }, { phone: phoneOf(1), nothing });
		const extra = nothing === undefined ? { headerValueField: '' } : {};
		await sandbox.run({ ...plain, additionalFields, ...header, ...extra }, { items });
		const recipients = [{ phone: phoneOf(0) }, { phone: phoneOf(1) }];
		expect(await sandbox.bodies(path)).toEqual([{ templateName: 'order_update', recipients }]);
	},
);

/** Few numbers, so that some come twice. Two of them, and blank values, cannot be sent. */
const row = fc.record({
	template: fc.constantFrom('order_update en', 'seasonal_offer en', 'seasonal_offer de'),
	phone: fc.constantFrom(...range(5).map(phoneOf), '+44 7700-900000', '0170', '9.1e11'),
	value: fc.constantFrom('A', 7, 'B', true, ' ', '', null),
	/** Columns that an earlier campaign or another node has left. */
	left: fc.constantFrom<IDataObject>(
		{},
		{ error: 'old' },
		{ sentWith: { campaignId: 'old', createdAt: 'old' } },
		{ notSent: { reason: 'excluded' } },
	),
});
const drawn = fc.record({
	rows: fc.array(row, { minLength: 1, maxLength: 25 }),
	isJson: fc.boolean(),
	output: fc.constantFrom('campaigns', 'rows'),
	removeDuplicates: fc.boolean(),
	allowBlankParameters: fc.boolean(),
	excludedRecipients: fc.subarray(range(3).map(phoneOf)),
	/** The request that is rejected, and whether the node continues after it. */
	failing: fc.integer({ min: 0, max: 3 }),
	continues: fc.boolean(),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never;

/** What is to happen to each row: what is sent to it, or why nothing is. */
function fatesOf({ rows, ...options }: Drawn) {
	const reached = new Set<string>();
	return rows.map(({ template, phone, value }, index) => {
		const digits = phone.replace(/\D/g, '');
		const sent = { phone: digits, params: [String(value ?? '')], name: `N${index}` };
		const isBlank = !options.allowBlankParameters && String(value ?? '').trim() === '';
		const isBad = /^0|e/.test(phone);
		const place = `${template} ${digits}`;
		let reason: string | undefined;
		if (!isBad && options.excludedRecipients.includes(digits)) reason = 'excluded';
		else if (isBad || isBlank) reason = 'invalid';
		else if (options.removeDuplicates && reached.has(place)) reason = 'duplicate';
		else reached.add(place);
		return { template, index, sent, reason };
	});
}

const templateOf = (one: unknown) => Object.values(pick(one, 'templateName', 'language')).join(' ');

test('each row comes out once, with what happened to it, and a retry sends the rest', async () => {
	await fc.assert(
		fc.asyncProperty(drawn, async (one) => {
			const { rows, isJson, output: kind, failing, continues, ...flags } = one;
			await sandbox.control.reset();
			const fates = fatesOf(one);
			const campaigns = map(groupBy(fates, 'template'), (own, template) => {
				const [good, others] = partition(own, ({ reason }) => reason === undefined);
				return { template, good, bad: map(filter(others, { reason: 'invalid' }), 'index') };
			});
			const full = campaigns.filter(({ good }) => good.length > 0);
			const bad = campaigns.flatMap((campaign) => campaign.bad);
			const items = rows.map(({ template, phone, value, left }, index) => {
				const [templateName, language] = template.split(' ');
				const own = { phone, name: `N${index}` };
				const list = [{ ...own, params: [value], headerValue: '', headerMediaId: null }];
				return { json: { ...own, ...left, templateName, language, value, list } };
			});
			const before = structuredClone(items);
			const parameters = (invalidRecipients: string, more: IDataObject = {}): INodeParameters => ({
				...(isJson ? fromJson : { ...plain, paramsFields: 'value' }),
				templateName: '={{ $json.templateName }}',
				additionalFields: { language: '={{ $json.language }}', nameField: 'name' },
				options: { invalidRecipients, ...flags, ...more } as INodeParameters,
				output: kind,
			});
			if (bad.length > 0) {
				const message = await sandbox.refusal(parameters('stop'), { items });
				expect(message).toContain(`Invalid recipients: ${bad.length} of ${rows.length}`);
			}

			/** The output of rows, of which those in rejected campaigns are one failed item each. */
			const rowItems = (happened: IDataObject, rejected: string[] = []) => {
				const failed = uniq(rejected);
				return fates.flatMap(({ index, template, reason }): unknown[] => {
					if (reason === undefined && rejected.includes(template)) {
						if (!failed.includes(template)) return [];
						failed.splice(failed.indexOf(template), 1);
						const own = full.find((campaign) => campaign.template === template)?.good;
						return [[{ error: 'Short', details: expect.anything() as unknown }, map(own, 'index')]];
					}
					const { list, error, ...rest } = (items[index]?.json ?? {}) as IDataObject;
					const serviceError = error === undefined ? {} : { serviceError: error };
					const fields = isJson
						? (list as IDataObject[])[0]
						: { ...omit(rest, 'sentWith', 'notSent'), ...serviceError, list };
					const problem = reason === 'invalid' ? { problem: expect.any(String) as unknown } : {};
					const fate = reason === undefined ? happened : { notSent: { reason, ...problem } };
					return [[{ ...fields, ...fate }, [index]]];
				});
			};
			const withPairs = (all: INodeExecutionData[]) =>
				all.map(({ json: own, pairedItem }) => [own, map([pairedItem].flat(), 'item')]);
			if (kind === 'rows') {
				const simulated = parameters('skip', { simulate: 'always' });
				const reason = 'simulated';
				expect(withPairs(await sandbox.run(simulated, { items }))).toEqual(
					rowItems({ notSent: { reason } }),
				);
				expect(await sandbox.requests(path)).toEqual([]);
			}

			const rest = { items, runExecutionData: createRunExecutionData() };
			const failed = full[failing];
			const isContinued = failed !== undefined && continues;
			const done = isContinued ? full.filter((_, index) => index !== failing) : full;
			if (failed) await sandbox.responds(path, 402, { error: 'Short' }, { skip: failing });
			// Without Continue, the requests behind the rejected one are made in a retry.
			if (failed && !continues) {
				await sandbox.failure(parameters('skip'), rest);
				expect(await sandbox.requests(path)).toHaveLength(failing + 1);
			}
			const node = isContinued ? { onError: 'continueRegularOutput' as const } : {};
			const all = await sandbox.run(parameters('skip'), { ...rest, node });
			expect(items).toEqual(before);
			const arrived = map(filter(await sandbox.requests(path), { status: 200 }), 'body');
			expect(arrived.map(templateOf)).toEqual(map(done, 'template'));
			expect(arrived.map(recipientsOf)).toEqual(done.map(({ good }) => map(good, 'sent')));
			if (kind === 'rows') {
				const text = expect.any(String) as unknown;
				const sentWith = { campaignId: text, createdAt: text };
				const rejected = isContinued ? [failed.template] : [];
				expect(withPairs(all)).toEqual(rowItems({ sentWith }, rejected));
				const ids = uniq(map(filter(all, 'json.sentWith'), 'json.sentWith.campaignId'));
				expect(ids).toHaveLength(done.length);
				return;
			}
			const [errors, output] = partition(all, 'json.error');
			// A rejected request is one item, paired with its rows.
			const paired = errors.map(({ pairedItem }) => map([pairedItem].flat(), 'item'));
			expect(paired).toEqual(isContinued ? [map(failed.good, 'index')] : []);
			for (const { template, good, bad: wrong } of done) {
				const isOfIt = (body: unknown) => campaigns.length === 1 || templateOf(body) === template;
				const own = output.filter((item) => isOfIt(item.json));
				const pairs = good.map(({ index }) => ({ item: index }));
				expect(own.flatMap(({ pairedItem }) => pairedItem)).toEqual(pairs);
				expect(map(own, 'json.recipients')).toEqual([{ from: 1, to: good.length }]);
				const skipped = own.flatMap(({ json }) => (json.skipped ?? []) as IDataObject[]);
				const places = skipped.map(({ item, row: number }) => (isJson ? item : Number(number) - 1));
				expect(places).toEqual(wrong);
			}
			// A campaign without a good row is an item as well.
			expect(filter(output, { json: { total: 0 } })).toHaveLength(campaigns.length - full.length);
			if (!isContinued) {
				expect(sumBy(output, 'json.skippedCount')).toBe(bad.length);
				const excluded = filter(fates, { reason: 'excluded' }).length;
				expect(sumBy(output, 'json.excludedCount')).toBe(excluded);
			}
		}),
		{ numRuns: 60 },
	);
});

describe('rows as output', () => {
	const output = 'rows';
	const getOutcome = { resource: 'bulkCampaign', operation: 'getOutcome' };

	test('come out of a retry with the time of their send, and lead Get Outcome to their messages', async () => {
		const templateName = '={{ $json.name === "N0" ? "order_update" : "seasonal_offer" }}';
		const options = { excludedRecipients: phoneOf(2) };
		const parameters = { ...campaign, templateName, output, options };
		const rest = { items: rows(3), runExecutionData: createRunExecutionData() };
		await sandbox.responds(path, 402, { error: 'Insufficient balance' }, { skip: 1 });
		const { description } = await sandbox.failure(parameters, rest);
		expect(description).toMatch(/Already sent: campaign [0-9a-f-]+ \(recipient 1\)/);
		// Their times are those of the service's clock, in whole seconds.
		await sleep(1_100);
		const retried = await sandbox.run(parameters, rest);
		expect(map(retried, 'json.phone')).toEqual(map(rows(3), 'json.phone'));
		const [first = '', second = ''] = map(retried, 'json.sentWith.createdAt') as string[];
		expect(first < second).toBe(true);
		const outcomes = await sandbox.hinted(getOutcome, { items: retried });
		const statuses = map(outcomes.items, 'json.delivery.status');
		expect(statuses).toEqual(['Sent', 'Sent', 'notSent']);
		expect(outcomes.hints).toEqual([
			'Rows: 3 (2 Sent, 1 notSent). Those that are Sent can still fail or be delivered.',
		]);
	});

	test('that another execution has sent with the same key do not claim to know when', async () => {
		const parameters = { ...campaign, output, options: { idempotencyKey: 'sale' } };
		await sandbox.run(parameters, { items: rows(2), executionId: '1' });
		const repeated = await sandbox.run(parameters, { items: rows(2), executionId: '2' });
		const sentWith = { campaignId: null, createdAt: null };
		expect(map(repeated, 'json')).toMatchObject(Array(2).fill({ alreadySent: true, sentWith }));
		const others = await sandbox.run({ ...campaign, output }, { items: rows(3).slice(2) });
		const items = [...repeated, ...others];
		const statusesAfter = async (more: INodeParameters = {}) =>
			map(await sandbox.json({ ...getOutcome, ...more }, { items }), 'delivery.status');
		const unknownTime = ['ambiguous', 'ambiguous'];
		expect(await statusesAfter()).toEqual([...unknownTime, 'Sent']);
		expect(await statusesAfter({ sentAfter: '2026-01-01' })).toEqual(['Sent', 'Sent', 'Sent']);
	});

	test('of a response that a crash lost have the start of the execution', async () => {
		const parameters = { ...campaign, output };
		const [crashed, retried] = [createRunExecutionData(), createRunExecutionData()];
		await sandbox.run(parameters, { items: rows(2), runExecutionData: crashed });
		const { executionData } = crashed;
		Object.assign(retried.executionData ?? {}, pick(executionData, 'runtimeData'));
		const retry = { items: rows(2), runExecutionData: retried, mode: 'retry' as const };
		const began = executionData?.runtimeData?.establishedAt ?? 0;
		const sentWith = { campaignId: null, createdAt: new Date(began).toISOString() };
		const all = await sandbox.json(parameters, { ...retry, executionId: '2' });
		expect(all).toMatchObject(Array(2).fill({ alreadySent: true, sentWith }));
	});

	test.each([
		[402, 'notSent'],
		[502, 'ambiguous'],
	])('of a request with status %i come out of Get Outcome as %s', async (status, delivery) => {
		await sandbox.responds(path, status, { error: 'Short' });
		const node = { onError: 'continueRegularOutput' as const };
		const templateName = '={{ $json.name === "N0" ? "order_update" : "seasonal_offer" }}';
		const rest = { items: rows(2), node };
		const all = await sandbox.run({ ...campaign, templateName, output }, rest);
		const outcomes = await sandbox.json(getOutcome, { items: all });
		expect(map(outcomes, 'delivery.status')).toEqual([delivery, 'Sent']);
		const [failed] = await sandbox.json(getOutcome, { items: all.slice(0, 1) });
		expect(failed).toMatchObject({ serviceError: expect.any(String), delivery: { record: null } });
	});

	test('are all notSent after a simulation, of which Get Outcome reads nothing', async () => {
		const parameters = { ...campaign, output, options: { simulate: 'always' } };
		const { items, hints } = await sandbox.hinted(parameters, { items: rows(2) });
		expect(hints).toEqual([expect.stringContaining('6 chat credits (marketing)')]);
		const outcomes = await sandbox.json(getOutcome, { items });
		const delivery = { status: 'notSent', record: null };
		expect(outcomes).toEqual(items.map(({ json: own }) => ({ ...own, delivery })));
		expect(await sandbox.requests()).toEqual([]);
	});
});

test('hints name the rows that are not sent, and a total that differs from what was sent', async () => {
	const items = [...rows(3), ...rows(1), ...json(tooShort)];
	const options = {
		...{ excludedRecipients: phoneOf(1), invalidRecipients: 'skip', removeDuplicates: true },
	};
	const body = { success: true, campaignId: 'c1', total: 1, status: 'processing', message: '' };
	await sandbox.responds(path, 200, body);
	const { hints } = await sandbox.hinted({ ...campaign, output: 'rows', options }, { items });
	expect(hints).toEqual([
		expect.stringMatching(/^The service counts 1 of the 2 recipients of campaign c1\./),
		'Skipped: 1 of 5 recipients. The field "notSent" says why.',
		'Excluded: 1 of 5 recipients, who have opted out.',
		'Skipped duplicates: 1 of 5 recipients.',
	]);
});

test('one JSON list for all items is sent once and paired with all; so is its simulation', async () => {
	const recipientsJson = JSON.stringify([{ phone: phoneOf(0) }, { phone: phoneOf(1) }]);
	const parameters = { ...fromJson, recipientsJson, output: 'rows' };
	const items = json({}, {});
	const all = [{ item: 0 }, { item: 1 }];
	const simulated = { ...parameters, output: 'campaigns', options: { simulate: 'always' } };
	expect(await sandbox.json(simulated, { items })).toMatchObject([{ simulated: true, total: 2 }]);
	expect(map(await sandbox.run(parameters, { items }), 'pairedItem')).toEqual([all, all]);
	expect(await sent()).toEqual([[undefined, [phoneOf(0), phoneOf(1)]]]);
});

test('JSON rows are sent with as many values as they have; hints name invalid and repeated ones', async () => {
	const list: IDataObject[] = [1, 2, 2, 2].map((length, index) => ({
		phone: phoneOf(Math.min(index, 2)),
		params: Array(length).fill('x'),
	}));
	list.push({ phone: '1' });
	const parameters = { ...fromJson, options: { invalidRecipients: 'skip' } };
	const { items, hints } = await sandbox.hinted(parameters, { items: json({ list }) });
	expect(await sent()).toEqual([[undefined, [0, 1, 2, 2].map(phoneOf)]]);
	expect(hints).toEqual([
		'Skipped: 1 of 5 recipients. The field "skipped" lists them.',
		expect.stringMatching(/^Repeated phone numbers: 1 of 5\./),
	]);
	expect(items[0]?.json.skipped).toMatchObject([{ row: 5, value: '1' }]);
});

const file = {
	...plain,
	campaignHeader: 'binary',
	templateName: '={{ $binary.data ? "order_update" : "seasonal_offer" }}',
};
const withFile = (content: string, index: number) => {
	const data = { data: btoa(`%PDF${content}`), mimeType: 'application/pdf', fileName: 'a.pdf' };
	return { json: { phone: phoneOf(index) }, binary: { data } };
};
const two = json({ phone: phoneOf(0) }, { phone: phoneOf(1) });
const headerValue = { campaignHeader: 'value', headerValue: 'Hi' };
const headers = async () =>
	(await sentChunks()).flat().map((one) => [one.headerValue, one.headerMediaId]);

test.each([
	[headerValue, ['Hi', undefined]],
	[{ campaignHeader: 'mediaId', headerMediaId: 'm1' }, [undefined, 'm1']],
])('all recipients get the header %j', async (header, sentHeader) => {
	await sandbox.run({ ...plain, ...header }, { items: two });
	expect(await headers()).toEqual([sentHeader, sentHeader]);
});

test('a file is uploaded once, and goes to all recipients of all campaigns', async () => {
	await sandbox.run(file, { items: [...two.slice(1), withFile('A', 0)] });
	expect(map(await sandbox.requests(), 'path')).toEqual(['/chat/upload', path, path]);
	const [first, second] = await headers();
	expect(first).toEqual([undefined, expect.any(String)]);
	expect(second).toEqual(first);
});

type Rejected = [message: string, INodeParameters, INodeExecutionData[]];

/** Two JSON recipients, of which the second has something invalid. */
const invalid = (reason: string, wrong: IDataObject): Rejected => {
	const params = Array.isArray(wrong.params) ? ['A'] : [];
	const list = [
		{ phone: phoneOf(1), params },
		{ phone: phoneOf(2), ...wrong },
	];
	const message = `Invalid recipients: 1 of 2. Row 2, "${phoneOf(2)}": ${reason}`;
	return [message, fromJson, json({ list })];
};
const keys = 'phone, params, headerValue, headerMediaId, name';

test.each([
	invalid(`it has the unknown key "x", which is not one of ${keys}`, { x: 'x' }),
	invalid('params is not an array', { params: 'A' }),
	invalid('the value of parameter {{1}} is an object: use one of its fields, e.g. "name"', {
		params: [{}],
	}),
	invalid('name is a list: use one of its entries, or join them with .join(", ")', { name: [] }),
	invalid('headerValue is NaN, which is not a number', { headerValue: NaN }),
	[
		"it has a headerValue, but the field 'Header' sets it for all recipients",
		{ ...fromJson, ...headerValue },
		json({ list: [{ phone: phoneOf(0), headerValue: 'Own' }] }),
	],
	['The input items contain different files', file, ['A', 'B'].map(withFile)],
	['no binary field "data"', file, two],
	['There are no recipients', fromJson, json({ list: [] })],
] as Rejected[])('nothing is sent: %s', async (message, parameters, items) => {
	expect(await sandbox.refusal(parameters, { items })).toContain(message);
});
