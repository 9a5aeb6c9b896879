// Which record may be that of which row is tested in test/unit/actions/outcome.test.ts.
import { map, omit } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const createdAt = '2026-03-10T10:00:00.000Z';
const after = (ms: number) => new Date(Date.parse(createdAt) + ms).toISOString();
const add = async (to: string, ms: number, status: 'Failed' | 'Read' = 'Read') =>
	await sandbox.control.addMessages(1, { to, sentAt: after(ms), status });

const getOutcome: INodeParameters = {
	resource: 'bulkCampaign',
	operation: 'getOutcome',
	phoneField: 'phone',
	sentAfter: '={{ $json.createdAt }}',
};

/** Runs Get Outcome; returns the JSON of its items, the items that they belong to, and its hint. */
async function outcomeOf(phones: unknown[], more: INodeParameters = {}) {
	const items = phones.map((phone) => ({ json: { phone, createdAt } as IDataObject }));
	const ran = await sandbox.hinted({ ...getOutcome, ...more }, { items });
	const [output, pairs] = [map(ran.items, 'json'), map(ran.items, 'pairedItem')];
	return { output, pairs, hint: ran.hints[0] };
}

test('each row has the record that is its own, and the run its totals', async () => {
	const others = { to: '447700900000', sentAt: createdAt, everyMs: 1_000 };
	await sandbox.control.addMessages(130, others);
	const [read] = await add('447700900210', 0);
	const [failed] = await add('14155550100', 120_000, 'Failed');
	await add('447700900212', -1);
	const [first] = await add('447700900213', 0);
	await add('447700900214', 0);
	await add('447700900214', 0);
	const rows: Array<[phone: unknown, status: string, record?: string]> = [
		['+44 (7700) 900-210', 'Read', read],
		[14155550100, 'Failed', failed],
		['447700900212', 'notListed'],
		['447700900213', 'Read', first],
		['447700900213', 'notListed'],
		['447700900214', 'ambiguous'],
		['none', 'notListed'],
		['', 'notListed'],
	];
	const { output, pairs, hint } = await outcomeOf(rows.map(([phone]) => phone));
	expect(pairs).toEqual(rows.map((_, item) => ({ item })));
	expect(output).toEqual(
		rows.map(([phone, status, id]) => ({
			phone,
			createdAt,
			delivery: { status, record: id === undefined ? null : expect.objectContaining({ id }) },
		})),
	);
	expect(hint).toMatch(
		/^Rows: 8 \([^()]+\) 1 ambiguous: messages to the number have the same time\.$/,
	);
	for (const total of ['2 Read', '1 Failed', '1 ambiguous', '4 notListed'])
		expect(hint).toContain(total);
});

test('only rows with some statuses come out, each with its own item, or the number of each', async () => {
	await add('14155550100', 0, 'Failed');
	await add('14155550101', 0);
	const phones = ['14155550101', '14155550100', '14155550102'];
	const some = await outcomeOf(phones, { filters: { status: ['Failed', 'notListed'] } });
	expect(map(some.output, 'phone')).toEqual(phones.slice(1));
	expect(some.pairs).toEqual([{ item: 1 }, { item: 2 }]);
	expect(some.hint).toBe('Rows: 3 (1 Read, 1 Failed, 1 notListed)');
	const all = await outcomeOf(phones, { filters: { status: [] } });
	expect(all.output).toHaveLength(3);
	const { output, pairs } = await outcomeOf(phones, { output: 'summary' });
	const none = { Sent: 0, Delivered: 0, notSent: 0, ambiguous: 0 };
	const counts = { ...none, Read: 1, Failed: 1, notListed: 1 };
	expect(output).toEqual([{ total: 3, ...counts }]);
	expect(pairs).toEqual([[{ item: 0 }, { item: 1 }, { item: 2 }]]);
});

test('rows that were not sent need no time, and a column error is renamed', async () => {
	const [id] = await add('447700900210', 0);
	const notSent = { reason: 'excluded' };
	const items = [
		{ json: { phone: '447700900210', sentWith: { createdAt }, error: 'old' } },
		{ json: { phone: '447700900210', notSent } },
		// A column of the user's own.
		{ json: { phone: '447700900211', createdAt, notSent: 'x' } },
	] as Array<{ json: IDataObject }>;
	const parameters = {
		...getOutcome,
		sentAfter: '={{ $json.sentWith?.createdAt ?? $json.createdAt }}',
	};
	const record = expect.objectContaining({ id }) as unknown;
	const outcomes = await sandbox.json(parameters, { items });
	expect(outcomes).toEqual([
		{ ...omit(items[0]?.json, 'error'), serviceError: 'old', delivery: { status: 'Read', record } },
		{ ...items[1]?.json, delivery: { status: 'notSent', record: null } },
		{ ...items[2]?.json, delivery: { status: 'notListed', record: null } },
	]);
	const filters = { status: ['notSent'] };
	expect(await sandbox.json({ ...parameters, filters }, { items })).toEqual([outcomes[1]]);
	const [summary] = await sandbox.json({ ...parameters, output: 'summary' }, { items });
	expect(summary).toMatchObject({ total: 3, Read: 1, notSent: 1, notListed: 1 });
});

test.each<[INodeParameters, RegExp]>([
	[{ phoneField: 'telephone' }, /^Phone Number Field refers to "telephone", but the rows have/],
	[{ filters: { status: ['failed'] } }, /^Status contains "failed", which is not one of Sent, /],
	[{}, /^Sent After is empty: its expression returns nothing\. Item fields: "phone"/],
	[{ sentAfter: 'soon' }, /^Sent After "soon" is not a date like \d{4}-\d\d-\d\dT\d\d:\d\d/],
])('rejects %j before it reads', async (parameters, message) => {
	const items = [{ json: { phone: '447700900210' } }];
	expect(await sandbox.refusal({ ...getOutcome, ...parameters }, { items })).toMatch(message);
});
