import fc from 'fast-check';
import { difference, mapValues } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { balanceWatch } from '../../../nodes/MessagingService/polling/balanceWatch';

type Balances = Record<string, number>;

/** The account as the service shows it. */
const account = (balances: Balances): IDataObject => ({ success: true, user: { ...balances } });

const answering = (balances: Balances) => async () => await Promise.resolve(account(balances));

/** Names of the events of a poll, with the balance that each is about. */
async function poll(
	watch: ReturnType<typeof balanceWatch>,
	balances: Balances,
	stored: IDataObject | undefined,
	isOld = false,
) {
	const { items, state } = await watch.poll(answering(balances), stored, isOld);
	const events = items.map(({ event, resource }) => `${String(resource)} ${String(event)}`);
	return { events, state: JSON.parse(JSON.stringify(state)) as IDataObject };
}

/** Where a balance can be; each level has an event of its own. */
const levels = ['high', 'low', 'critical', 'depleted'] as const;
type Level = (typeof levels)[number];

/** docs/contract.md, section 7: an event for each level that it falls to. */
const eventsOf = (before: Level, now: Level): string[] =>
	levels
		.slice(levels.indexOf(before) + 1, levels.indexOf(now) + 1)
		.map((level) => `balance.${level}`);

/** Thresholds, and what values a balance has on each level. */
const scale = fc
	.record({ critical: fc.integer({ min: 2, max: 50 }), above: fc.integer({ min: 1, max: 100 }) })
	.map(({ critical, above }) => {
		const warning = critical + above;
		const values: Record<Level, fc.Arbitrary<number>> = {
			high: fc.integer({ min: warning, max: warning + 1_000 }),
			low: fc.integer({ min: critical, max: warning - 1 }),
			critical: fc.integer({ min: 1, max: critical - 1 }),
			depleted: fc.integer({ min: -100, max: 0 }),
		};
		return { thresholds: { warning, critical }, values };
	});

const names = ['chatBalance', 'leadBalance'];

const history = scale.chain(({ thresholds, values }) => {
	const seen = fc
		.constantFrom(...levels)
		.chain((level) => values[level].map((value) => ({ level, value })));
	const step = fc.record({
		/** What the response has of the balances. */
		account: fc.dictionary(fc.constantFrom(...names), seen, { minKeys: 1, noNullPrototype: true }),
		/** Whether n8n restarts afterwards: it has saved only what polls with events gave. */
		restarts: fc.boolean(),
	});
	return fc.record({
		thresholds: fc.constant(thresholds),
		steps: fc.array(step, { minLength: 1, maxLength: 20 }),
		off: fc.subarray(['warning', 'critical']),
	});
});

/** Balances by name, as they were seen since the last restart and before it. */
interface Known {
	now: Record<string, { level: Level; value: number }>;
	old: Known['now'];
	state?: IDataObject;
}

test('over any history a balance emits what its fall from level to level means', async () => {
	await fc.assert(
		fc.asyncProperty(history, async ({ thresholds, steps, off }) => {
			const limits = { ...thresholds, ...Object.fromEntries(off.map((name) => [name, 0])) };
			const silent = off.map((name) => (name === 'warning' ? 'balance.low' : 'balance.critical'));
			const watch = balanceWatch(names, limits);
			let known: Known = { now: {}, old: {} };
			let saved = known;
			let isOld = false;
			for (const { account, restarts } of steps) {
				const balances = mapValues(account, 'value');
				const { events, state } = await poll(watch, balances, known.state, isOld);
				if (isOld) known = { now: {}, old: { ...known.old, ...known.now } };
				const { now, old } = known;
				const expected = names.flatMap((name) => {
					const seen = account[name];
					if (!seen) return [];
					// What has changed since a restart may have recovered before it: nobody knows.
					const mayHaveRecovered = old[name] !== undefined && old[name].value !== seen.value;
					const before = now[name]?.level ?? (mayHaveRecovered ? 'high' : seen.level);
					const all = difference(eventsOf(before, seen.level), silent);
					return all.map((event) => `${name} ${event}`);
				});
				expect(events).toEqual(expected);
				known = { state, now: { ...now, ...account }, old };
				if (!saved.state || expected.length > 0) saved = known;
				if (restarts) known = saved;
				isOld = restarts;
			}
		}),
	);
});

test.each([
	[100, 20, 150, 'low', 100],
	[100, 20, 50, 'low', 100],
	[100, 20, 19, 'critical', 20],
	[0, 0, 150, 'depleted', 0],
])('with the thresholds %i and %i, %i shows %s at %i', async (warning, critical, ...rest) => {
	const [present, event, threshold] = rest;
	const watch = balanceWatch(['chatBalance'], { warning, critical });
	const sample = await watch.sample(answering({ chatBalance: present, balance: 7 }));
	const { state } = await watch.poll(answering({ chatBalance: 1_000 }), undefined);
	expect(sample).toMatchObject({ event: `balance.${event}`, threshold });
	const fallen = sample.account as Balances;
	expect((await watch.poll(answering(fallen), state)).items).toContainEqual(sample);
	expect(fallen.balance).toBe(7);
});

test.each(['', 'none', '1,000', null, [], false])('%j is no balance', async (no) => {
	const watch = balanceWatch(['chatBalance'], { warning: 100, critical: 20 });
	const { state } = await poll(watch, { chatBalance: 500 }, undefined);
	const of = (balance: unknown) => async () =>
		await Promise.resolve({ user: { chatBalance: balance, balance: 1 } } as IDataObject);
	await expect(watch.poll(of(no), state)).rejects.toThrow('no usable chat credits');
	await expect(watch.sample(of(no))).rejects.toThrow('no usable chat credits');
	expect((await watch.poll(of(' 15 '), state)).items).toMatchObject([{ value: 15 }, { value: 15 }]);
});
