import { sleep } from 'n8n-workflow';
import { waitFor } from '../../../harness';
import { paced } from '../../../nodes/MessagingService/sending/pacing';

function work() {
	const order: number[] = [];
	const state = { running: 0, most: 0 };
	return {
		order,
		state,
		run: async (index: number) => {
			order.push(index);
			state.most = Math.max(state.most, ++state.running);
			await sleep(1);
			state.running--;
		},
	};
}

test('starts in order and never more than batchSize at once', async () => {
	const { order, state, run } = work();
	await paced(1_000, { batchSize: 7, batchInterval: 0 }, run, () => false);
	expect(order).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
	expect(state.most).toBe(7);
});

test('without an interval starts the next one as soon as one ends', async () => {
	const ends: Array<() => void> = [];
	const slow = async (index: number) => {
		if (index === 0) await new Promise<void>((resolve) => ends.push(resolve));
		// The last one, behind several batches, ends the first.
		if (index === 9) ends[0]?.();
	};
	await paced(10, { batchSize: 2, batchInterval: 0 }, slow, () => false);
	expect(ends).toHaveLength(1);
});

test('starts nothing new once stopped and awaits what runs', async () => {
	const { order, state, run } = work();
	await paced(100, { batchSize: 5, batchInterval: 0 }, run, () => order.length >= 12);
	expect(order).toHaveLength(12);
	expect(state.running).toBe(0);
});

test('with an interval a batch ends before the next starts', async () => {
	const { order, state, run } = work();
	await paced(6, { batchSize: 2, batchInterval: 1 }, run, () => false);
	expect(order).toEqual([0, 1, 2, 3, 4, 5]);
	expect(state.most).toBe(2);
});

test('a stopped execution ends the pause and starts no further batch', async () => {
	const { order, state, run } = work();
	const controller = new AbortController();
	const done = paced(
		4,
		{ batchSize: 2, batchInterval: 3_600_000 },
		run,
		() => controller.signal.aborted,
		controller.signal,
	);
	const isPause = () => (order.length > 0 && state.running === 0 ? true : undefined);
	await waitFor('the first batch to end', isPause);
	controller.abort();
	await done;
	expect(order).toEqual([0, 1]);
});
