import fc from 'fast-check';
import { crossings } from '../../../nodes/MessagingService/polling/balances';

const thresholds = { warning: 100, critical: 20 };

const events = (before: number, now: number, limits = thresholds) =>
	crossings({ chatBalance: before }, { chatBalance: now }, limits).map(({ event }) => event);

test.each([
	[100, 99, ['balance.low']],
	[101, 100, []],
	[99, 98, []],
	[99, 20, []],
	[99, 19, ['balance.critical']],
	[1, 0, ['balance.depleted']],
	[1, -5, ['balance.depleted']],
	[0, -5, []],
	[500, 0, ['balance.low', 'balance.critical', 'balance.depleted']],
	[0, 500, []],
])('from %d to %d', (before, now, expected) => {
	expect(events(before, now)).toEqual(expected);
});

test('the event names balance, value and threshold', () => {
	expect(crossings({ voiceMins: 100 }, { voiceMins: 40 }, thresholds)).toEqual([
		{ event: 'balance.low', resource: 'voiceMins', value: 40, threshold: 100 },
	]);
});

test('a balance seen for the first time has no event', () => {
	expect(crossings({ voiceMins: 100 }, { chatBalance: 0 }, thresholds)).toEqual([]);
});

test('threshold 0 turns an event off, but not that of an empty balance', () => {
	expect(events(500, 0, { warning: 0, critical: 0 })).toEqual(['balance.depleted']);
	expect(events(0, -1, { warning: 0, critical: 0 })).toEqual([]);
});

test('over any history, each threshold is told once per fall below it', () => {
	const values = fc.array(fc.integer({ min: -3, max: 130 }), { minLength: 1, maxLength: 40 });
	fc.assert(
		fc.property(values, (history) => {
			const told = { 'balance.low': 0, 'balance.critical': 0, 'balance.depleted': 0 };
			for (let n = 1; n < history.length; n++) {
				for (const event of events(history[n - 1] ?? 0, history[n] ?? 0)) told[event]++;
			}
			const falls = (limit: number) =>
				history.filter((value, n) => n > 0 && value < limit && (history[n - 1] ?? 0) >= limit)
					.length;
			expect(told).toEqual({
				'balance.low': falls(100),
				'balance.critical': falls(20),
				'balance.depleted': falls(1),
			});
		}),
	);
});
