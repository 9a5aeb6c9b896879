import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { findOperation } from '../../../nodes/MessagingService/actions';
import type { Call } from '../../../nodes/MessagingService/api/client';
import { withDeadline } from '../../../nodes/MessagingService/api/deadline';
import { Failure } from '../../../nodes/MessagingService/api/failure';
import { fakeRead } from '../../support/unit/fakeRead';
import { FakeService } from '../../support/unit/fakeService';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const phone = '447700900210';

/** The same of a message and of a call: what is sent, and what their lists show of it. */
const kinds = {
	// Statuses count however they are written.
	'a message': {
		name: 'sendMedia',
		resource: 'chatMessage',
		parameters: { phone, mediaUrl: 'https://host.example/a.png' },
		option: 'waitForStatus',
		shown: 'messageRecord',
		record: (isDone: boolean) => ({ to: phone, status: isDone ? 'delivered' : 'Sent' }),
		notYet: 'The message was not delivered',
	},
	'a call': {
		name: 'create',
		resource: 'voiceCall',
		parameters: { to: phone, text: 'Hi' },
		option: 'waitForCompletion',
		shown: 'callLog',
		record: (isDone: boolean) => ({
			phone: `+${phone}`,
			// Only the label of the dashboard.
			callStatus: isDone ? undefined : 'answered',
			status: isDone ? 'Failed' : 'Started',
		}),
		notYet: 'The call had not ended',
	},
};

const names = Object.keys(kinds) as Array<keyof typeof kinds>;

interface History {
	/** Seconds. */
	maxWait: number;
	pollInterval: number;
	/** Milliseconds that a list takes. */
	lookTakes?: number;
	/** Milliseconds after which the record is as wanted, or the execution is stopped. */
	doneAt?: number;
	stopAt?: number;
	/** The look that fails. */
	failing?: number;
	/** Milliseconds after its own, of other sends to its recipient that are listed only now. */
	others?: number[];
	/** Milliseconds that the time limit of the workflow leaves. */
	left?: number;
}

/** Milliseconds between the oldest record and the send. */
const hour = 3_600_000;

/** Sends, and gives when each look at the list began, when the waiting ended and what came out. */
async function waited(
	of: keyof typeof kinds,
	{ maxWait, pollInterval, lookTakes = 0, doneAt = Infinity, ...history }: History,
) {
	const { failing, stopAt, others = [], left = Infinity } = history;
	const { name, resource, parameters, option, shown, record } = kinds[of];
	const operation = findOperation(resource, name);
	if (operation?.kind !== 'item') throw new Error(`No item operation ${name}`);
	const options = { [option]: { wait: { maxWait, pollInterval } } };
	const plan = await operation.plan(fakeRead(operation.fields, { ...parameters, options }));
	let looks: number[] = [];
	let start = 0;
	let endedAt = Infinity;
	const service = new FakeService({
		onRequest: () => {
			const now = Date.now() - start;
			looks.push(now);
			if (looks.length === failing) {
				throw new Failure('Down', { outcome: 'rejected', description: 'Look up' });
			}
			for (const one of service.records) Object.assign(one, record(now >= doneAt));
			return lookTakes > 0 ? new Promise((resolve) => setTimeout(resolve, lookTakes)) : undefined;
		},
	});
	service.add(3);
	const call: Call = async (request) => {
		const response = await service.call(request);
		request.onTimed?.(0, 1_700_000_000_000 + hour - Date.now());
		return response;
	};
	const prepared = plan.prepare?.(call);
	await jest.advanceTimersByTimeAsync(lookTakes);
	await prepared;
	service.add(1, () => hour);
	for (const after of others) service.add(1, () => hour + after);
	looks = [];
	start = Date.now();
	const controller = new AbortController();
	const following = plan
		.follow?.({ success: true }, call, withDeadline(controller.signal), left)
		.finally(() => (endedAt = Date.now() - start));
	if (stopAt !== undefined) setTimeout(() => controller.abort(), stopAt);
	await jest.advanceTimersByTimeAsync(1_000 * maxWait + 3 * lookTakes + 10);
	const { [shown]: seen, ended, waitStopped, ...rest } = (await following) ?? {};
	expect(rest).not.toHaveProperty('success');
	const { id } = (seen ?? {}) as IDataObject;
	return { looks, endedAt, id, ended, waitStopped, status: rest.status, reached: rest.reached };
}

const drawn = fc.record({
	maxWait: fc.integer({ min: 1, max: 60 }),
	pollInterval: fc.integer({ min: 1, max: 20 }),
	lookTakes: fc.constantFrom(0, 30, 900, 3_000, 4_900, 9_100, 30_100),
});

describe.each(names)('%s', (of) => {
	test('is looked for until Max Wait, or soon after it, whatever a look takes', async () => {
		await fc.assert(
			fc.asyncProperty(drawn, async ({ maxWait, pollInterval, lookTakes }) => {
				const found = await waited(of, { maxWait, pollInterval, lookTakes });
				const waitStopped = `${kinds[of].notYet} after ${maxWait} seconds.`;
				expect(found).toMatchObject({ ended: false, waitStopped });
				expect(found.reached).toBe(of === 'a message' ? false : undefined);
				const end = 1_000 * maxWait;
				const { looks, endedAt } = found;
				expect(endedAt).toBeGreaterThanOrEqual(end);
				expect(endedAt).toBeLessThanOrEqual(end + 5_000);
				// A look is in flight at Max Wait, or begins then, and is the last.
				const last = looks.at(-1) ?? 0;
				expect(last).toBeLessThanOrEqual(end);
				expect(last + lookTakes).toBeGreaterThanOrEqual(end);
				// What a look has seen is known, even if the last one was cut off.
				expect(found.id).toBe(lookTakes <= end + 5_000 ? 4 : undefined);
				const gaps = looks.slice(1).map((began, index) => began - (looks[index] ?? 0));
				const gap = 1_000 * pollInterval + lookTakes;
				expect(Math.max(...gaps)).toBeLessThanOrEqual(gap);
				// The last look alone may come sooner.
				expect(Math.min(...gaps.slice(0, -1))).toBeGreaterThanOrEqual(gap);
			}),
		);
	});

	const limits = { maxWait: 9, pollInterval: 5 };

	test.each([0, 8_000])('that is done after %i ms ends the waiting', async (doneAt) => {
		const { status } = kinds[of].record(true);
		const reached = of === 'a message' ? true : undefined;
		const done = await waited(of, { ...limits, doneAt });
		expect(done).toMatchObject({ id: 4, ended: true, status });
		expect(done.reached).toBe(reached);
	});

	test('is looked for as long as the time limit of the workflow leaves time for it', async () => {
		const limited = { maxWait: 60, pollInterval: 5, left: 18_000 };
		const looks = [0, 5_000, 10_000, 13_000];
		const done = await waited(of, { ...limited, doneAt: 12_000 });
		expect(done).toMatchObject({ id: 4, ended: true, looks });
		expect(await waited(of, { ...limited, lookTakes: 9_000 })).toMatchObject({
			ended: false,
			endedAt: 18_000,
			waitStopped: `${kinds[of].notYet} after 13 seconds.`,
		});
	});

	const several =
		'There are 3 new records for this recipient, and nothing shows which one belongs to this item.';
	const unsure = { id: undefined, ended: false, waitStopped: several };

	test.each([
		['is not one that was made before it and is listed late', [-120_000, -hour], { id: 4 }],
		['is not known where it may be one of several', [100, -100], unsure],
	])('%s', async (_what, others, found) => {
		expect(await waited(of, { ...limits, doneAt: 0, others })).toMatchObject(found);
	});

	test('comes out as it is known where a look fails or the execution is stopped', async () => {
		const known = { id: 4, ended: false };
		const failed = await waited(of, { ...limits, failing: 2 });
		expect(failed).toMatchObject({ ...known, waitStopped: 'Down. Look up' });
		const stopped = { endedAt: 500, waitStopped: 'The execution was stopped.' };
		const between = await waited(of, { ...limits, stopAt: 500 });
		expect(between).toMatchObject({ ...known, ...stopped, looks: [0] });
		const during = await waited(of, { ...limits, lookTakes: 3_000, stopAt: 500 });
		expect(during).toMatchObject(stopped);
	});
});
