import fc from 'fast-check';
import { chunk } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { FakeExecution, FakeNode, lost } from '../../support/unit/fakeNode';
import { message, messageOf, numberedPhones } from '../../support/unit/fakeOperations';
import {
	atOnce,
	crashed,
	outcomes,
	parameters as parametersOf,
	phonesOf,
	refusing,
} from '../../support/unit/sends';

/** More than are known one by one, in twenty-one blocks, the last of them short. */
const list = numberedPhones(2_050);

const parameters = parametersOf(atOnce(10));

const history = fc.record({
	/** One of so many is refused at first; none where absent. */
	refusedOf: fc.option(fc.integer({ min: 2, max: 400 }), { nil: undefined }),
	/** One of so many gets no answer, though it arrives. */
	lostOf: fc.option(fc.integer({ min: 100, max: 900 }), { nil: undefined }),
	/**
	 * The call to the service or the database with which each process dies; none asks then how the list
	 * was cut, which leaves all of it in doubt.
	 */
	deaths: fc.array(fc.integer({ min: 15, max: 2_400 }), { minLength: 1, maxLength: 3 }),
});

test('a long list that is retried after crashes reaches everybody once, and in doubt is little', async () => {
	await fc.assert(
		fc.asyncProperty(history, async ({ refusedOf, lostOf, deaths }) => {
			const entries = new Set<string>();
			const execution = new FakeExecution();
			const arrived = new Map<string, number>();
			const asked = new Set<string>();
			const isOne = (number: number, of = Infinity) => number % of === of - 1;
			const answer = (body: IDataObject) => {
				const phone = String(body.phone);
				if (isOne(Number(phone), refusedOf) && !asked.has(phone)) {
					asked.add(phone);
					return { error: 'No' };
				}
				arrived.set(phone, (arrived.get(phone) ?? 0) + 1);
				return isOne(Number(phone), lostOf) ? lost() : { id: phone };
			};
			const tried = async (isFirst: boolean, diesAt?: number) => {
				const node = new FakeNode({ entries, answer, diesAt, onLast: answer });
				return await node.tried(message, {
					items: list,
					parameters,
					continueOnFail: true,
					execution: isFirst ? execution : execution.afterCrash(),
				});
			};
			for (const [n, death] of deaths.entries()) await tried(n === 0, death);
			const output = await tried(false);
			if (!Array.isArray(output)) throw new Error('The last try ended badly');
			expect([...arrived.values()].filter((times) => times > 1)).toEqual([]);
			let unknown = 0;
			for (const [n, { json }] of output.entries()) {
				const { outcome } = (json.details ?? {}) as IDataObject;
				const isThere = arrived.has(String(n));
				if (outcome === 'unknown') unknown++;
				else expect([n, isThere]).toEqual([n, json.error === undefined]);
			}
			const answersLost = lostOf === undefined ? 0 : Math.ceil(list.length / lostOf);
			// Of each kill what was noted ahead.
			expect(unknown).toBeLessThanOrEqual(deaths.length * 25 + answersLost);
		}),
		{
			seed: Number(process.env.HISTORIES_SEED ?? 1),
			numRuns: Number(process.env.HISTORIES ?? 10),
			endOnFailure: true,
		},
	);
}, 900_000);

test.each([
	[6_000, 'knows all that was sent', 10],
	[14_000, 'reaches nobody twice, though n8n does not keep notes of all', Infinity],
])('a loop of %i sends that is retried after a crash %s', async (count, _what, mostUnknown) => {
	const entries = new Set<string>();
	const arrived = new Map<string, number>();
	const answer = ({ phone }: IDataObject) => {
		arrived.set(String(phone), (arrived.get(String(phone)) ?? 0) + 1);
		return { id: String(phone) };
	};
	const first = new FakeExecution();
	const looped = async (execution: FakeExecution, death: number) => {
		const diesWith = (body?: IDataObject) => body?.phone === String(death);
		const node = new FakeNode({ entries, answer, diesWith });
		const told: INodeExecutionData[] = [];
		for (const [runIndex, items] of chunk(numberedPhones(count), 300).entries()) {
			const run = { items, parameters, continueOnFail: true, execution, runIndex };
			const output = await node.tried(message, run);
			if (Array.isArray(output)) told.push(...output);
		}
		return told;
	};
	await looped(first, count - 100);
	const told = await looped(first.afterCrash(), NaN);
	expect([...arrived.values()].filter((times) => times > 1)).toEqual([]);
	const unknown = told.filter(({ json }) => (json.details as IDataObject)?.outcome === 'unknown');
	expect(unknown.length).toBeLessThanOrEqual(mostUnknown);
	expect(arrived.size + unknown.length).toBeGreaterThanOrEqual(count);
});

test.each([
	[1_990, 2_010],
	[2_010, 1_990],
])(
	'a list of %i sends that has %i in one retry is known again once it is as it was',
	async (count, other) => {
		const run = { items: numberedPhones(count), parameters };
		const { dying, retried } = await crashed(message, run, '310');
		expect((await retried({ items: numberedPhones(other) })).sent).toEqual([]);
		const { told, sent } = await retried();
		const unknown = told.filter((outcome) => outcome === 'unknown').length;
		expect(unknown).toBeLessThanOrEqual(10);
		expect(dying.requests.length + sent.length).toBeGreaterThanOrEqual(count - unknown);
	},
);

test('a long list with other messages is another one, also to the same people', async () => {
	const run = (text: string) => ({ items: list, parameters: { ...parameters, text } });
	const { retried } = await crashed(messageOf('phone', 'text'), run('first'), '310');
	const items = list.map((item) => ({ ...item, other: true }));
	const { told, node } = await retried({ ...run('second'), items });
	expect(new Set(told)).toEqual(new Set(['unknown']));
	expect(node.requests).toEqual([]);
});

const keyed = parametersOf({ ...atOnce(10), idempotencyKey: '={{ $json.phone }}' });

/** Runs the long list in a process that dies, then another one, and compares what is told with what arrives. */
async function afterCrash(
	first: { parameters: IDataObject },
	then: { items: Array<{ phone: string }>; parameters: IDataObject },
) {
	const { dying, retried } = await crashed(message, { ...first, items: list }, '310');
	const { told, sent } = await retried(then);
	const arrived = [...phonesOf(dying), ...sent];
	expect(new Set(arrived).size).toBe(arrived.length);
	for (const [n, outcome] of told.entries()) {
		const isThere = arrived.includes(then.items[n]?.phone ?? '');
		if (outcome !== 'unknown') expect([n, outcome !== 'notSent']).toEqual([n, isThere]);
	}
	return { again: sent.length, unknown: told.filter((outcome) => outcome === 'unknown').length };
}

test.each([
	['is sent again where the user would have that', { resendUnknown: true }],
	['is known by keys that are new', { idempotencyKey: '={{ $json.phone }}' }],
])('nothing of another long list %s', async (_, more) => {
	const then = { items: list.toReversed(), parameters: parametersOf({ ...atOnce(10), ...more }) };
	expect(await afterCrash({ parameters }, then)).toEqual({ again: 0, unknown: list.length });
});

test('another long list is known by its keys where there always were some', async () => {
	const items = [...Array.from({ length: 9 }, (_, n) => ({ phone: `new ${n}` })), ...list.slice(5)];
	const then = { items: items.toReversed(), parameters: keyed };
	const { again, unknown } = await afterCrash({ parameters: keyed }, then);
	expect(unknown).toBeLessThanOrEqual(25);
	expect(again).toBeGreaterThanOrEqual(list.length - 310 + 9 - 25);
});

test('Max Sends counts what a long list with keys has sent before a crash', async () => {
	const own = { ...atOnce(10), idempotencyKey: '={{ $json.phone }}', maxSends: 400 };
	const run = { items: list, parameters: parametersOf(own) };
	const { dying, retried } = await crashed(message, run, '310');
	const arrived = [...phonesOf(dying), ...(await retried()).sent];
	expect(arrived.length).toBeLessThanOrEqual(400);
	expect(arrived.length).toBeGreaterThanOrEqual(400 - 25);
});

test('a long list that is cut off leaves n8n an entry for ten sends, not for each', async () => {
	const { entries } = await crashed(message, { items: list, parameters }, '2040');
	expect(entries.size).toBeLessThan(list.length / 5);
});

test("of a long list is told as unsent what was not sent, whenever n8n's database refuses", async () => {
	const { dying, entries, execution } = await crashed(message, { items: list, parameters }, '310');
	for (const writes of [2, 12, 40]) {
		const node = new FakeNode({ entries: new Set(entries), onWrite: refusing(writes) });
		const again = { items: list, parameters, execution: execution.afterCrash() };
		const told = outcomes(await node.json(message, { ...again, continueOnFail: true }));
		const arrived = new Set([...phonesOf(dying), ...phonesOf(node)]);
		const untrue = told.filter((one, n) => one === 'notSent' && arrived.has(String(n)));
		expect([writes, untrue]).toEqual([writes, []]);
	}
}, 20_000);
