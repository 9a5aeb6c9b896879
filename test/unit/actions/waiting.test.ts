import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { withStatus } from '../../../nodes/MessagingService/actions/chatMessage/waitForStatus';
import { sendMedia } from '../../../nodes/MessagingService/actions/chatMessage/sendMedia.operation';
import { waitingForEnd } from '../../../nodes/MessagingService/actions/voiceCall/waitForEnd';
import { waitFor } from '../../../nodes/MessagingService/actions/waiting';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { Failure } from '../../../nodes/MessagingService/api/failure';
import type { Plan } from '../../../nodes/MessagingService/operation';
import { fakeRead } from '../../support/unit/fakeRead';
import { FakeService } from '../../support/unit/fakeService';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const pause = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Waits for a record that is as wanted after some time; gives when each look began, and the end. */
async function waited(maxWait: number, pollInterval: number, lookTakes: number, doneAt = Infinity) {
	const start = Date.now();
	const looks: number[] = [];
	const waiting = waitFor(
		async () => {
			const began = Date.now() - start;
			looks.push(began);
			if (lookTakes > 0) await pause(lookTakes);
			return { began };
		},
		({ began }) => Number(began) >= doneAt,
		(seconds) => `Not after ${seconds} seconds`,
		{ maxWait, pollInterval },
	);
	await jest.advanceTimersByTimeAsync(maxWait + 3 * lookTakes + 10);
	return { looks, result: await waiting };
}

test('whatever the interval and the time that a look takes, the last look begins at Max Wait', async () => {
	const seconds = (max: number) => fc.integer({ min: 1, max }).map((value) => value * 1_000);
	await fc.assert(
		fc.asyncProperty(
			seconds(60),
			seconds(20),
			fc.constantFrom(0, 30, 900, 3_000, 9_000),
			async (maxWait, interval, lookTakes) => {
				const { looks, result } = await waited(maxWait, interval, lookTakes);
				expect(result.waitStopped).toBe(`Not after ${maxWait / 1_000} seconds`);
				const last = looks.at(-1) ?? 0;
				expect(last).toBeGreaterThanOrEqual(maxWait);
				// A look that is under way then is waited for.
				expect(last).toBeLessThanOrEqual(maxWait + lookTakes);
				expect(looks.slice(0, -1).filter((began) => began >= maxWait)).toEqual([]);
				const gaps = looks.slice(1).map((began, index) => began - (looks[index] ?? 0));
				expect(Math.max(...gaps)).toBeLessThanOrEqual(interval + lookTakes);
			},
		),
	);
});

test.each([
	[4_000, 5_000, 98, [0, 4_000]],
	[9_000, 5_000, 0, [0, 5_000, 9_000]],
	[5_000, 5_000, 3_000, [0, 5_000]],
	[10_000, 5_000, 0, [0, 5_000, 10_000]],
])('in %i ms, every %i ms, a look of %i ms: %j', async (maxWait, interval, lookTakes, looks) => {
	expect((await waited(maxWait, interval, lookTakes)).looks).toEqual(looks);
});

test('what the last look shows counts', async () => {
	const { result, looks } = await waited(4_000, 5_000, 0, 4_000);
	expect(result).toEqual({ record: { began: 4_000 } });
	expect((await waited(60_000, 5_000, 0, 7_000)).looks).toEqual([0, 5_000, 10_000]);
	expect(looks).toEqual([0, 4_000]);
});

test('a look that fails, and an end of the execution, end the waiting with what is known', async () => {
	const failure = new Failure('Down', { outcome: 'rejected', description: 'Look up' });
	let looks = 0;
	const failing = waitFor(
		async () => await (looks++ === 0 ? Promise.resolve({ id: 1 }) : Promise.reject(failure)),
		() => false,
		() => 'late',
		{ maxWait: 60_000, pollInterval: 1_000 },
	);
	await jest.advanceTimersByTimeAsync(1_000);
	expect(await failing).toEqual({ record: { id: 1 }, waitStopped: 'Down. Look up' });
	const controller = new AbortController();
	const stopped = waitFor(
		async () => await Promise.resolve({ id: 2 }),
		() => false,
		() => 'late',
		{ maxWait: 60_000, pollInterval: 1_000 },
		controller.signal,
	);
	await jest.advanceTimersByTimeAsync(500);
	controller.abort();
	expect(await stopped).toEqual({
		record: { id: 2 },
		waitStopped: 'The execution was stopped.',
	});
});

describe('of records that came into being after a send the oldest is its own', () => {
	const phone = '919876543210';

	/** Sends, and shows by the number 4 the record that was there first. */
	async function followed({ prepare, follow }: Plan, more: IDataObject, response: IDataObject) {
		const service = new FakeService();
		const add = (count: number) => {
			service.add(count);
			for (const record of service.records) Object.assign(record, more);
		};
		add(3);
		await prepare?.(service.call);
		// Another program sends to the same number, too.
		add(2);
		return await follow?.(response, service.call);
	}

	test('a call', async () => {
		const body = { to: phone };
		const limits = { maxWait: 1_000, pollInterval: 1_000 };
		const plan = waitingForEnd({ endpoint: endpoints.placeCall, body }, limits);
		const entry = { phone: `+${phone}`, callStatus: 'success' };
		const result = await followed(plan, entry, { to: `+${phone}` });
		expect(result).toMatchObject({ ended: true, callLog: { id: 4 } });
	});

	test('a message without an ID', async () => {
		const read = fakeRead(sendMedia.fields, { options: { waitForStatus: 'Delivered' } });
		const request = { endpoint: endpoints.sendMedia, body: { phone } };
		const result = await followed(
			withStatus(read, { request }),
			{ to: phone, status: 'Read' },
			{ success: true },
		);
		expect(result).toMatchObject({ ended: true, messageRecord: { id: 4 } });
	});
});
