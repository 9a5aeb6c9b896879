import fc from 'fast-check';
import { ManualClock, Scheduler } from '../../../sandbox/clock';

const delays = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 200 });

test('runs every step once, by time and then in the order of scheduling', () => {
	fc.assert(
		fc.property(delays, fc.array(fc.integer({ min: 0, max: 30 })), (wanted, moves) => {
			const clock = new ManualClock(0);
			const scheduler = new Scheduler(clock);
			const ran: Array<{ at: number; index: number }> = [];
			wanted.forEach((delay, index) =>
				scheduler.after(delay, () => ran.push({ at: clock.now(), index })),
			);
			for (const ms of [...moves, 100]) clock.advance(ms);
			const expected = wanted
				.map((at, index) => ({ at, index }))
				.sort((a, b) => a.at - b.at || a.index - b.index);
			expect(ran).toEqual(expected);
			expect(scheduler.size).toBe(0);
		}),
	);
});

test('runs steps that steps schedule, within the same move of the clock', () => {
	const clock = new ManualClock(0);
	const scheduler = new Scheduler(clock);
	const ran: number[] = [];
	const again = () => {
		ran.push(clock.now());
		if (ran.length < 5) scheduler.after(10, again);
	};
	scheduler.after(10, again);
	clock.advance(35);
	expect(ran).toEqual([10, 20, 30]);
	clock.advance(100);
	expect(ran).toEqual([10, 20, 30, 40, 50]);
});

test('forgets what is cleared', () => {
	const clock = new ManualClock(0);
	const scheduler = new Scheduler(clock);
	scheduler.after(1, () => {
		throw new Error('This step was cleared');
	});
	scheduler.clear();
	clock.advance(10);
	expect(scheduler.size).toBe(0);
});
