import { sleep } from 'n8n-workflow';
import { withDeadline } from '../../../nodes/MessagingService/api/deadline';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { Failure } from '../../../nodes/MessagingService/api/failure';
import { retrying } from '../../../nodes/MessagingService/api/retry';
import { stoppable } from '../../../nodes/MessagingService/api/stopping';

jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: jest.fn(),
}));

/** The pauses that were waited for, in milliseconds. */
const pauses: number[] = [];
/** What a pause does; it ends at once unless a test says otherwise. */
let onPause: (signal: AbortSignal) => Promise<void>;

beforeEach(() => {
	pauses.length = 0;
	onPause = async () => {};
	jest.mocked(sleep).mockImplementation(async (pause, signal) => {
		pauses.push(pause);
		await onPause(signal ?? new AbortController().signal);
	});
});

/** Counts the listeners of a signal. */
function listeners(signal: AbortSignal) {
	const state = { now: 0, most: 0 };
	const [add, remove] = [
		signal.addEventListener.bind(signal),
		signal.removeEventListener.bind(signal),
	];
	signal.addEventListener = (...args: Parameters<typeof add>) => {
		if (args[0] === 'abort') state.most = Math.max(state.most, ++state.now);
		add(...args);
	};
	signal.removeEventListener = (...args: Parameters<typeof remove>) => {
		if (args[0] === 'abort') state.now--;
		remove(...args);
	};
	return state;
}

const never = async () => await new Promise<never>(() => {});

describe('work with a deadline', () => {
	/** A clock that is never over, but ends with its signal. */
	const still = async (signal: AbortSignal) =>
		await new Promise<void>((_, reject) => {
			signal.addEventListener('abort', () => reject(new Error('aborted')));
		});

	test('gives what it gives, and leaves neither clock nor listener', async () => {
		let clock: AbortSignal | undefined;
		onPause = async (signal) => {
			clock = signal;
			await still(signal);
		};
		const { signal } = new AbortController();
		const state = listeners(signal);
		let given: AbortSignal | undefined;
		const work = async (one: AbortSignal) => {
			given = one;
			return await Promise.resolve('done');
		};
		expect(await withDeadline(7, signal, work)).toBe('done');
		expect(pauses).toEqual([7]);
		expect(clock?.aborted).toBe(true);
		expect(clock?.reason).toEqual(new Error('The work is done'));
		expect(given?.aborted).toBe(false);
		expect(state).toEqual({ now: 0, most: 1 });
		expect(await withDeadline(7, undefined, work)).toBe('done');
	});

	test('what it throws goes on, and nothing is left', async () => {
		const { signal } = new AbortController();
		const state = listeners(signal);
		onPause = still;
		const work = async () => await Promise.reject(new Error('broken'));
		await expect(withDeadline(1, signal, work)).rejects.toThrow('broken');
		expect(state.now).toBe(0);
	});

	test('is ended when its time is over', async () => {
		let given: AbortSignal | undefined;
		const work = async (signal: AbortSignal) => {
			given = signal;
			return await never();
		};
		expect(await withDeadline(1, undefined, work)).toBe('timeout');
		expect(given?.reason).toBe('timeout');
	});

	test.each([true, false])('is ended with the execution, stopped before: %s', async (before) => {
		onPause = still;
		const controller = new AbortController();
		const state = listeners(controller.signal);
		if (before) controller.abort('other');
		const given: AbortSignal[] = [];
		const result = withDeadline(1, controller.signal, async (signal) => {
			given.push(signal);
			return await never();
		});
		controller.abort('other');
		expect(await result).toBe('stopped');
		expect(given[0]?.reason).toBe('stopped');
		expect(state.most).toBe(before ? 0 : 1);
	});
});

describe('work that ends with the execution', () => {
	test('all of it hears of the end by one listener', async () => {
		const controller = new AbortController();
		const state = listeners(controller.signal);
		const run = stoppable(controller.signal);
		const signals: AbortSignal[] = [];
		const ends: Array<(value: string) => void> = [];
		const results = ['a', 'b', 'c'].map(
			async () =>
				await run(async (signal) => {
					signals.push(signal);
					return await new Promise<string>((resolve) => ends.push(resolve));
				}),
		);
		expect(state).toEqual({ now: 1, most: 1 });
		ends[0]?.('first');
		expect(await results[0]).toBe('first');
		expect(state.now).toBe(1);
		controller.abort('other');
		expect(signals.map(({ reason }) => reason as unknown)).toEqual([
			undefined,
			'stopped',
			'stopped',
		]);
		for (const end of ends) end('later');
		expect(await Promise.all(results)).toEqual(['first', 'later', 'later']);
		expect(state).toEqual({ now: 0, most: 1 });
		await run(async (signal) => {
			await Promise.resolve(expect(signal.reason).toBe('stopped'));
		});
		expect(state.now).toBe(0);
	});

	test('what fails is no longer under way', async () => {
		const { signal } = new AbortController();
		const state = listeners(signal);
		const work = async () => await Promise.reject(new Error('broken'));
		await expect(stoppable(signal)(work)).rejects.toThrow('broken');
		expect(state).toEqual({ now: 0, most: 1 });
	});

	test('where nothing can be stopped, it runs all the same', async () => {
		const run = stoppable(undefined);
		expect(await run(async ({ aborted }) => await Promise.resolve(aborted))).toBe(false);
	});
});

describe('repeating', () => {
	const read = { endpoint: endpoints.getBalance };
	const send = { endpoint: endpoints.sendText };
	const goingOn = new AbortController().signal;
	const failure = (facts: Partial<Failure>) =>
		new Failure('M', { outcome: 'unknown', description: 'D', ...facts });

	/** Attempts that give these results, the last one for ever. */
	function attempts(...results: unknown[]) {
		const made: AbortSignal[] = [];
		const attempt = async (signal: AbortSignal) => {
			made.push(signal);
			return await Promise.resolve(results[Math.min(made.length, results.length) - 1]);
		};
		return { made, attempt };
	}

	test.each([
		['a read', 'a status of a gateway', read, { statusCode: 502 }, 4],
		['a read', 'a status of a gateway', read, { statusCode: 503 }, 4],
		['a read', 'a status of a gateway', read, { statusCode: 504 }, 4],
		['a read', 'any other status', read, { statusCode: 500 }, 1],
		[
			'a read',
			'a status, whatever its code',
			read,
			{ statusCode: 500, facts: { code: 'EPIPE' } },
			1,
		],
		...['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].map(
			(code) => ['a read', 'a cut connection', read, { facts: { code } }, 4] as const,
		),
		['a read', 'a timeout', read, { facts: { code: 'ECONNABORTED' } }, 1],
		['a read', 'nothing known', read, {}, 1],
		['a read', 'no connection', read, { neverConnected: true }, 4],
		['a send', 'no connection', send, { neverConnected: true }, 4],
		['a send', 'a cut connection', send, { facts: { code: 'ECONNRESET' } }, 1],
		['a send', 'a status of a gateway', send, { statusCode: 503 }, 1],
	] as const)('%s after %s', async (_what, _why, request, facts, count) => {
		const last = failure(facts as Partial<Failure>);
		const { made, attempt } = attempts(last);
		expect(await retrying(request, attempt, goingOn)).toBe(last);
		expect(made).toEqual(Array(count).fill(goingOn));
		expect(pauses).toEqual([500, 1_000, 2_000].slice(0, count - 1));
	});

	test('ends with the first success', async () => {
		const { made, attempt } = attempts(failure({ neverConnected: true }), { ok: true });
		expect(await retrying(send, attempt, goingOn)).toEqual({ ok: true });
		expect(made).toHaveLength(2);
	});

	test.each(['before', 'in the pause', 'as the pause ends'])('is stopped %s', async (when) => {
		const controller = new AbortController();
		const first = failure({ neverConnected: true });
		const { made, attempt } = attempts(first, { ok: true });
		if (when === 'before') controller.abort();
		onPause = async () => {
			controller.abort();
			if (when === 'in the pause') await Promise.reject(new Error('aborted'));
		};
		expect(await retrying(send, attempt, controller.signal)).toBe(first);
		expect(made).toHaveLength(1);
		expect(pauses).toHaveLength(when === 'before' ? 0 : 1);
	});
});
