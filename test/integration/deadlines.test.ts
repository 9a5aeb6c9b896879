import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { setInterval as every } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { defaultTimeout } from '../../nodes/MessagingService/api/client';
import { waitFor } from '../../harness';
import { keeper, useBinaryMode } from '../support/core/binaryData';
import { executeContext, failureOf } from '../support/core/execute';
import { PolledWorkflow } from '../support/core/poll';
import { accepted, balance, fateOf, template } from '../support/raw/runs';
import { isWholeRequest, response, useStandIn } from '../support/raw/standIn';

const standIn = useStandIn();

/** Writes a byte now and then, so that the connection is never idle, until it is closed. */
async function trickle(socket: Socket, bytes: Buffer): Promise<void> {
	let next = 0;
	for await (const tick of every(10, true)) {
		if (tick && socket.destroyed) return;
		// Spaces in the middle of the headers or the body go on for ever.
		socket.write(next < bytes.length ? bytes.subarray(next, ++next) : ' ');
	}
}

const head = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
const ways: Array<[string, (socket: Socket) => unknown]> = [
	['says nothing', () => {}],
	[
		'trickles its headers',
		async (socket) => await trickle(socket, Buffer.from('HTTP/1.1 200 OK\r\nX-A: ')),
	],
	[
		'trickles its body',
		async (socket) => await trickle(socket, Buffer.from('HTTP/1.1 200 OK\r\n\r\n{"a":"')),
	],
	[
		'never ends its chunks',
		(socket) => socket.write(Buffer.concat([head, Buffer.from('5\r\n{"a":')])),
	],
	[
		'switches protocols',
		(socket) =>
			socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\n'),
	],
	[
		'says 100 Continue for ever',
		async (socket) => {
			for await (const tick of every(10, true)) {
				if (tick && socket.destroyed) return;
				socket.write('HTTP/1.1 100 Continue\r\n\r\n');
			}
		},
	],
];

describe.each(ways)('a service that %s', (_name, answer) => {
	test('is given up at the deadline, and its connection closed', async () => {
		standIn().answer = ({ socket }) => answer(socket);
		const fate = await fateOf(standIn(), template, { timeout: 200 });
		expect(fate.message).toContain('did not answer within the timeout');
		expect(fate).toMatchObject({ outcome: 'unknown', json: { code: 'ECONNABORTED' } });
		expect(fate.description).toContain('Get Many');
		await closed();
		expect(standIn().arrivals.length).toBeLessThanOrEqual(1);
	});

	test('ends with the execution, if it is read', async () => {
		const stop = new AbortController();
		standIn().answer = ({ socket }) => {
			void answer(socket);
			setTimeout(() => stop.abort(), 50);
		};
		const fate = await fateOf(standIn(), balance, { signal: stop.signal });
		expect(fate.message).toContain('was stopped before the answer came');
		await closed();
	});
});

test('the answer to a send is awaited, although the execution was stopped', async () => {
	const stop = new AbortController();
	standIn().answer = ({ socket }) => {
		stop.abort();
		setTimeout(() => socket.end(response(accepted)), 100);
	};
	const fate = await fateOf(standIn(), template, { signal: stop.signal });
	expect(fate.outcome).toBe('accepted');
});

/** Resolves when no connection is left. */
async function closed(): Promise<void> {
	for await (const tick of every(10, true)) if (tick && standIn().connections.size === 0) return;
}

describe('an upload that ends before its time', () => {
	let folder = '';
	beforeAll(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'uploads-'));
		await useBinaryMode('filesystem', folder);
	});
	afterEach(() => (standIn().isComplete = isWholeRequest));
	afterAll(async () => {
		await useBinaryMode('default', folder);
		await rm(folder, { recursive: true });
	});

	/** Uploads a file that is larger than every buffer on the way; gives its fate and the file's streams. */
	async function upload(options: { timeout?: number; signal?: AbortSignal }) {
		const { helpers } = executeContext({ credential: standIn().credential, parameters: {} });
		const content = Buffer.alloc(32 * 1_048_576, 'x');
		const data = await helpers.prepareBinaryData(content, 'film.mp4', 'video/mp4');
		const opening = jest.spyOn(keeper(), 'getAsStream');
		const fate = await fateOf(
			standIn(),
			{ resource: 'media', operation: 'upload' },
			{ items: [{ json: {}, binary: { data } }], ...options },
		);
		const streams = await Promise.all(
			opening.mock.results.map(async ({ value }) => (await value) as Readable),
		);
		opening.mockRestore();
		return { fate, streams };
	}

	/** Lets the service read nothing more once the request has begun. */
	function stall(then: () => void = () => {}): void {
		standIn().isComplete = () => {
			for (const socket of standIn().connections) socket.pause();
			then();
			return false;
		};
	}

	test.each<[string, () => { timeout?: number; signal?: AbortSignal }, string]>([
		[
			'because time is over',
			() => {
				stall();
				return { timeout: 300 };
			},
			'did not answer within the timeout',
		],
		[
			'because the execution was stopped',
			() => {
				const stop = new AbortController();
				stall(() => stop.abort());
				return { signal: stop.signal };
			},
			'was stopped before the answer came',
		],
		[
			'because the connection was cut',
			() => {
				stall(() => {
					for (const socket of standIn().connections) socket.destroy();
				});
				return {};
			},
			'',
		],
		[
			'because it was refused at once',
			() => {
				standIn().isComplete = () => true;
				standIn().answer = ({ socket }) =>
					socket.end(response({ error: 'Too large' }, { status: '413 Too Large' }));
				return {};
			},
			'',
		],
	])('closes its file %s', async (_name, prepare, message) => {
		const { fate, streams } = await upload(prepare());
		expect(fate.outcome).not.toBe('accepted');
		expect(fate.message).toContain(message);
		expect(streams).toHaveLength(1);
		const isClosed = () => streams.every(({ destroyed }) => destroyed) || undefined;
		await waitFor('the file to be closed', isClosed, 2_000);
	});
});

test('a read is given up too, once', async () => {
	standIn().answer = () => {};
	const fate = await fateOf(standIn(), balance, { timeout: 100 });
	expect(fate.message).toContain('did not answer within the timeout');
	expect(standIn().arrivals).toHaveLength(1);
});

test('the longest timeout is no short one', async () => {
	standIn().answer = ({ socket }) => setTimeout(() => socket.end(response(accepted)), 50);
	expect(await fateOf(standIn(), template, { timeout: 2 ** 31 - 1 })).toMatchObject({
		outcome: 'accepted',
	});
});

test('an answer that comes late harms nobody', async () => {
	const late: Socket[] = [];
	standIn().answer = ({ socket }) => late.push(socket);
	expect(await fateOf(standIn(), template, { timeout: 50 })).toMatchObject({ outcome: 'unknown' });
	for (const socket of late) if (!socket.destroyed) socket.end(response(accepted));
	await closed();
});

test('a polling trigger whose service trickles says so and polls again', async () => {
	const workflow = new PolledWorkflow({
		credential: standIn().credential,
		parameters: {
			watch: 'balance',
			resources: ['balance'],
			warningThreshold: 10,
			criticalThreshold: 0,
		},
	});
	const answer = (amount: number) => response({ success: true, user: { balance: amount } });
	standIn().answer = ({ socket }) => socket.end(answer(20));
	await workflow.publish();

	jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
	try {
		const arrived = new Promise<void>((resolve) => {
			standIn().answer = ({ socket }) => {
				socket.write('HTTP/1.1 200 OK\r\n\r\n{"a":');
				resolve();
			};
		});
		const failure = failureOf(workflow.poll());
		await arrived;
		await jest.advanceTimersByTimeAsync(defaultTimeout);
		expect((await failure).message).toContain('did not answer within the timeout');
	} finally {
		jest.useRealTimers();
	}

	standIn().answer = ({ socket }) => socket.end(answer(5));
	expect(await workflow.poll()).toMatchObject([{ event: 'balance.low', value: 5 }]);
});

test.each<[string, INodeParameters, IDataObject]>([
	['sends', template, accepted],
	[
		'reads',
		// Each asks for another number: identical reads are made once.
		{
			resource: 'voiceCall',
			operation: 'getMany',
			filters: { search: '={{ $itemIndex + 1000 }}' },
		},
		{ success: true, data: [], pagination: { total: 0 } },
	],
])('thousands of %s leave no timer and no listener behind', async (_name, parameters, body) => {
	const stop = new AbortController();
	const most = { listening: 0 };
	const add = jest.spyOn(stop.signal, 'addEventListener');
	const remove = jest.spyOn(stop.signal, 'removeEventListener');
	const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
	const before = timers();

	standIn().answer = ({ socket }) => {
		most.listening = Math.max(most.listening, add.mock.calls.length - remove.mock.calls.length);
		socket.end(response(body));
	};
	const items = Array.from({ length: 2_000 }, () => ({ json: {} }));
	const options = { timeout: 60_000, batching: { batch: { batchSize: 50 } } };
	const fate = await fateOf(standIn(), { ...parameters, options }, { items, signal: stop.signal });

	expect(fate.outcome).toBe('accepted');
	expect(standIn().arrivals).toHaveLength(items.length);
	expect(most.listening).toBeLessThanOrEqual(1);
	expect(remove.mock.calls.length).toBe(add.mock.calls.length);
	expect(timers() - before).toBeLessThan(items.length / 10);
});

test('the waits between tries add no listener to the execution either', async () => {
	const stop = new AbortController();
	const add = jest.spyOn(stop.signal, 'addEventListener');
	const remove = jest.spyOn(stop.signal, 'removeEventListener');
	let arrived = 0;
	standIn().answer = ({ socket }) =>
		arrived++ < 20 ? socket.destroy() : socket.end(response({ success: true, data: [] }));
	const parameters: INodeParameters = {
		resource: 'voiceCall',
		operation: 'getMany',
		// Each asks for another number: identical reads are made once.
		filters: { search: '={{ $itemIndex + 1000 }}' },
		options: { batching: { batch: { batchSize: 20 } } },
	};
	const items = Array.from({ length: 20 }, () => ({ json: {} }));
	const fate = await fateOf(standIn(), parameters, { items, signal: stop.signal });
	expect(fate.outcome).toBe('accepted');
	expect(arrived).toBe(40);
	expect(add.mock.calls.length).toBeLessThan(20);
	expect(remove.mock.calls.length).toBe(add.mock.calls.length);
});
