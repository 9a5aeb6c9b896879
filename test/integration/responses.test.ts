import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { map, range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import { maxBodyBytes } from '../../nodes/MessagingService/api/response';
import { execute, failureOr } from '../support/core/execute';
import { polling } from '../support/core/poll';
import { accepted, response, template, useStandIn } from '../support/raw/standIn';

const standIn = useStandIn();

/** Responds with bytes to each request, and closes the connection. */
function respondWith(bytes: Buffer): void {
	standIn.respond = ({ socket }) => socket.end(bytes);
}

const chunks = [...'{"success":true,"providerMessageId":"m1"}'].map(
	(character) => `1\r\n${character}\r\n`,
);
const chunked = Buffer.from(
	`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n${chunks.join('')}0\r\nX-Sum: 1\r\n\r\n`,
);
const encoded = (encoding: string, body: Buffer) =>
	response(body, { headers: { 'Content-Encoding': encoding } });
const gzip = gzipSync(JSON.stringify(accepted));
const old = Buffer.from(`HTTP/1.0 200 OK\r\n\r\n${JSON.stringify(accepted)}`);

const whole = response(
	{ ...accepted, message: 'नमस्ते "Anna" 🙂' },
	{ headers: { 'Content-Type': 'application/json' } },
);

describe.each<[string, Buffer]>([
	['with a length', whole],
	['in chunks with a trailer', chunked],
	['compressed', encoded('gzip', gzip)],
	['of HTTP/1.0, which ends with the connection', old],
])('a response %s', (_name, bytes) => {
	test.each(['ended', 'reset'])('is unknown when it is %s before its end', async (how) => {
		// A chunk has six bytes.
		const cuts = range(bytes.length).filter((at) => at % 5 === 0 || at > bytes.length - 10);
		for (const cut of cuts) {
			standIn.respond = ({ socket, raw }) => {
				if (how === 'ended') socket.end(bytes.subarray(0, cut));
				else socket.write(bytes.subarray(0, cut), () => raw.resetAndDestroy());
			};
			expect([cut, (await standIn.run()).outcome]).toEqual([cut, 'unknown']);
		}
		// The node repeats none of these sends.
		expect(standIn.arrivals).toHaveLength(cuts.length);
	});

	test('is accepted however it is cut into pieces', async () => {
		const places = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 6 });
		await fc.assert(
			fc.asyncProperty(places, async (drawn) => {
				const ends = [...drawn.sort((a, b) => a - b), bytes.length];
				standIn.respond = async ({ socket }) => {
					socket.setNoDelay(true);
					for (const [index, end] of ends.entries()) {
						socket.write(bytes.subarray(ends[index - 1] ?? 0, end));
						await pause(1);
					}
					socket.end();
				};
				expect((await standIn.run()).outcome).toBe('accepted');
			}),
			{ numRuns: 10 },
		);
	});
});

test.each([
	['with Brotli', encoded('br', brotliCompressSync(JSON.stringify(accepted)))],
	['as plain text', response(accepted, { headers: { 'Content-Type': 'text/plain' } })],
	['after 100 Continue', Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), whole])],
	['and followed by another one', Buffer.concat([whole, response({ error: 'No' })])],
])('a response %s is accepted', async (_name, bytes) => {
	respondWith(bytes);
	const { outcome, json } = await standIn.run();
	expect([outcome, json.providerMessageId]).toEqual(['accepted', 'm1']);
});

describe('lists whose values are odd', () => {
	/** Values that JSON can hold and that are no text, number or list as documented. */
	const odd = fc.oneof(
		fc.constant({ toString: 1, valueOf: 2 }),
		fc.constant([{ toString: null, valueOf: null }]),
		fc.constant({ then: 1, constructor: 2, toJSON: 3, length: -1 }),
		fc.jsonValue({ maxDepth: 2 }),
	);
	const record = fc.dictionary(
		fc.constantFrom('id', 'to', 'status', 'callStatus', 'sentAt', 'createdAt', 'updatedAt', 'url'),
		odd,
		{ minKeys: 4 },
	);
	const body = fc.record({
		records: fc.array(record, { maxLength: 4 }),
		total: odd,
		stats: fc.dictionary(fc.constantFrom('Sent', 'Delivered', 'Read', 'Failed'), odd),
		pagination: fc.oneof(fc.record({ total: odd }), odd),
	});
	const listing: Array<[string, INodeParameters]> = [
		['messages', { resource: 'chatMessage', operation: 'getMany', filters: { phone: '12345678' } }],
		['configs', { resource: 'phoneNumber', operation: 'getMany' }],
		['messages', { resource: 'chatMessage', operation: 'getStats' }],
		['data', { resource: 'voiceCall', operation: 'getMany' }],
		['data', { resource: 'voiceCall', operation: 'get', callId: 'c1' }],
		['webhooks', { resource: 'webhook', operation: 'getMany' }],
		['webhooks', { resource: 'account', operation: 'checkSetup' }],
	];
	const understood =
		/^accepted$|^The response has no usable|^The call log shows no call|^The poll was stopped/;
	const respondWithList = (key: string, { records, ...rest }: { records: unknown }) =>
		respondWith(response({ success: true, [key]: records, ...rest }));

	test.each(listing)('are read, or rejected in words: %s of %j', async (key, parameters) => {
		const examples = [
			[{ records: [], total: 0, stats: { Sent: { valueOf: 1 } }, pagination: {} }],
			[{ records: [{ id: 1 }, { sentAt: 2 }, { sentAt: 3 }], total: 10_000_000 }],
			[{ records: [{ id: { no: 'text' } }], total: 10_000_000 }],
		];
		await fc.assert(
			fc.asyncProperty(body, async (drawn) => {
				respondWithList(key, drawn);
				const { outcome, message } = await standIn.run(parameters);
				expect(message || outcome).toMatch(understood);
			}),
			{ numRuns: 30, examples: examples as never },
		);
	});

	test.each([
		['messages', { watch: 'messages', statuses: ['Sent', 'Read'] }],
		['data', { watch: 'voiceCalls', callEvents: ['started', 'ended'] }],
		['webhooks', { watch: 'webhooks' }],
	])('are polled, or rejected in words: %s', async (key, parameters) => {
		await fc.assert(
			fc.asyncProperty(fc.tuple(body, body), async (polls) => {
				// A total of 10^300 is read for as long as a poll may take.
				const poll = polling(standIn.credential, parameters, 300);
				for (const drawn of polls) {
					respondWithList(key, drawn);
					const result = await failureOr(poll());
					expect(result instanceof Error ? result.message : 'accepted').toMatch(understood);
				}
			}),
			{ numRuns: 20 },
		);
	});
});

const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '));
const endless = Buffer.from(`HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(20_000)}`);

test.each([
	[
		'bytes that are no text',
		response(Buffer.from([0xff, 0xfe, 0x00, 0x80])),
		'(status 200): no readable text.',
	],
	['incomplete gzip', encoded('gzip', gzip.subarray(0, 40)), '(status 200): an empty body'],
	['no gzip', encoded('gzip', Buffer.from('plain')), 'Could not read the response'],
	['a gzip bomb', encoded('gzip', bomb), 'exceeds 16 MB'],
	['too little', response(accepted, { headers: { 'Content-Length': '5000' } }), 'lost before'],
	['no HTTP', Buffer.from('SSH-2.0-OpenSSH_9.6\r\n'), 'Could not read the response'],
	['headers without an end', endless, 'Could not read the response'],
])('an unreliable response is unknown: %s', async (_name, bytes, message) => {
	respondWith(bytes);
	const result = await standIn.run(template, { timeout: 60_000 });
	expect(result.message).toContain(message);
	expect(result.outcome).toBe('unknown');
	expect(standIn.arrivals).toHaveLength(1);
});

test('a response without an end is read only as far as its limit', async () => {
	let written = 0;
	standIn.respond = ({ socket }) => {
		socket.write('HTTP/1.1 200 OK\r\n\r\n');
		const more = () => {
			while (!socket.destroyed && socket.write(Buffer.alloc(65_536, ' '))) written += 65_536;
		};
		socket.on('drain', more);
		more();
	};
	const result = await standIn.run(template, { timeout: 60_000 });
	expect(result).toMatchObject({ outcome: 'unknown', json: { statusCode: 200 } });
	expect(result.message).toContain('exceeds 16 MB');
	expect(written).toBeLessThan(4 * maxBodyBytes);
});

test('a response without a request is used for no other, whenever it arrives', async () => {
	const numbered = (id: unknown) =>
		response({ ...accepted, providerMessageId: id }, { headers: { Connection: 'keep-alive' } });
	standIn.respond = ({ socket }) => {
		socket.write(numbered(standIn.arrivals.length));
		for (const delay of range(0, 200, 5))
			setTimeout(() => socket.writable && socket.write(numbered('foreign')), delay);
	};
	const items = await execute({
		credential: standIn.credential,
		parameters: { ...template, options: { batching: { batch: { batchSize: 1 } } } },
		items: range(5).map(() => ({ json: {} })),
	});
	expect(map(items, 'json.providerMessageId')).toEqual([1, 2, 3, 4, 5]);
	expect(standIn.arrivals).toHaveLength(5);
});
