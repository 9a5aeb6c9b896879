import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { FaultInput } from '../../../sandbox';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const path = '/balance';

const add = (fault: Partial<FaultInput> & Pick<FaultInput, 'kind'>) =>
	fixture.control.addFault({ path, ...fault } as FaultInput);

/** Sends requests over one connection and collects what comes until it is closed or still for long. */
class Connection {
	received = '';

	pieces = 0;

	isClosed = false;

	private readonly socket = connect(fixture.sandbox.port, '127.0.0.1');

	constructor() {
		this.socket.on('data', (piece: Buffer) => {
			this.received += piece.toString('latin1');
			this.pieces += 1;
		});
		this.socket.on('close', () => (this.isClosed = true));
		this.socket.on('error', () => undefined);
	}

	ask(more = ''): this {
		const key = fixture.sandbox.keys.production;
		this.socket.write(`GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n${more}\r\n`);
		return this;
	}

	leave(): void {
		this.socket.destroy();
	}

	/** Waits until what has come fits, or the connection is closed. */
	async until(fits: () => boolean): Promise<string> {
		for (let look = 0; look < 2_000 && !fits() && !this.isClosed; look++) {
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
		return this.received;
	}

	async end(): Promise<string> {
		return await this.until(() => this.isClosed);
	}
}

const bodyOf = (text: string): string => text.split('\r\n\r\n').slice(1).join('\r\n\r\n');

async function entry() {
	const [first] = await fixture.control.journal({ kind: 'request' });
	return { status: first?.status, processed: first?.processed, fault: first?.fault };
}

const whole = async () => JSON.stringify((await fixture.api.get(path)).data);

describe('cut at a byte', () => {
	test.each([0, 1, 20])('of the body: %i', async (atByte) => {
		const body = await whole();
		await add({ kind: 'cut', atByte, when: 'after' });
		const received = await new Connection().ask().end();
		expect(received).toContain(`content-length: ${body.length}`);
		expect(bodyOf(received)).toBe(body.slice(0, atByte));
	});

	test.each([0, 5, 40])('of the response: %i', async (atByte) => {
		await add({ kind: 'cut', atByte, within: 'response' });
		const received = await new Connection().ask().end();
		expect(received).toBe('HTTP/1.1 200 OK\r\ncontent-type: application/json'.slice(0, atByte));
		expect(await entry()).toEqual({ status: null, processed: false, fault: 'cut' });
	});
});

test('a body comes as slowly as wanted, and whole', async () => {
	const body = await whole();
	await fixture.control.clearJournal();
	await add({ kind: 'trickle', bytesPerSecond: 400 });
	const connection = new Connection().ask('Connection: close\r\n');
	expect(bodyOf(await connection.end())).toBe(body);
	expect(connection.pieces).toBeGreaterThan(5);
	expect(await entry()).toEqual({ status: 200, processed: true, fault: 'trickle' });
});

test('a caller that leaves a slow body got no whole response', async () => {
	await add({ kind: 'trickle', bytesPerSecond: 1 });
	const connection = new Connection().ask();
	await connection.until(() => connection.received !== '');
	connection.leave();
	while ((await fixture.control.stats()).concurrentRequests > 0);
	expect(await entry()).toEqual({ status: null, processed: true, fault: 'trickle' });
});

test('a body comes in chunks of given sizes', async () => {
	await add({ kind: 'chunked', body: 'abcdefghij', sizes: [1, 4, 3], when: 'before' });
	const received = await new Connection().ask('Connection: close\r\n').end();
	expect(received).toContain('transfer-encoding: chunked');
	expect(received).not.toContain('content-length');
	expect(bodyOf(received)).toBe('1\r\na\r\n4\r\nbcde\r\n3\r\nfgh\r\n2\r\nij\r\n0\r\n\r\n');
	await add({ kind: 'chunked', sizes: [7] });
	expect((await fixture.api.get(path)).data).toMatchObject({ success: true });
});

test.each([
	['after', true],
	['before', false],
] as const)('a late response: the fault comes %s processing', async (when, isProcessedFirst) => {
	await add({ kind: 'late', when, path: '/chat/send' });
	const body = { phone: '919812345678', message: 'Hello' };
	const leaving = new AbortController();
	const waiting = fixture.api.post('/chat/send', body, { signal: leaving.signal });
	const wait = async (count: number) => {
		while ((await fixture.control.messages()).length < count);
	};
	while ((await fixture.control.faults())[0]?.hits === 0);
	if (isProcessedFirst) await wait(1);
	else expect(await fixture.control.messages()).toEqual([]);
	leaving.abort();
	await expect(waiting).rejects.toThrow('canceled');
	await wait(1);
	while ((await fixture.control.stats()).concurrentRequests > 0);
	expect(await entry()).toEqual({ status: null, processed: true, fault: 'late' });
});

test('a response comes twice, and a second request is served all the same', async () => {
	const body = await whole();
	await add({ kind: 'twice' });
	const connection = new Connection().ask();
	const twice = await connection.until(() => connection.received.split(body).length === 3);
	expect(twice.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
	connection.ask();
	const thrice = await connection.until(() => connection.received.split(body).length === 4);
	expect(thrice.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3);
	connection.leave();
});

test('101 comes, and then nothing until a reset', async () => {
	await add({ kind: 'switchingProtocols' });
	const connection = new Connection().ask();
	await connection.until(() => connection.received.endsWith('\r\n\r\n'));
	expect(connection.received).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
	expect(connection.isClosed).toBe(false);
	await fixture.control.reset();
	await connection.end();
	expect(connection.isClosed).toBe(true);
});

describe('any bytes', () => {
	test('and the end of the connection', async () => {
		await add({ kind: 'raw', text: 'SSH-2.0-OpenSSH\r\n' });
		expect(await new Connection().ask().end()).toBe('SSH-2.0-OpenSSH\r\n');
	});

	test('that are no text, on a connection that stays', async () => {
		await add({ kind: 'raw', base64: Buffer.from([0xff, 0x00]).toString('base64'), close: false });
		const connection = new Connection().ask();
		expect(await connection.until(() => connection.received.length === 2)).toBe('\u00ff\u0000');
		expect(connection.isClosed).toBe(false);
		connection.leave();
	});
});

describe('any content', () => {
	test.each([299, 418, 599, 600, 999])('status %i', async (status) => {
		await add({ kind: 'status', status, body: { error: 'Odd' } });
		expect(await fixture.api.get(path)).toMatchObject({ status, data: { error: 'Odd' } });
	});

	test.each(['gzip', 'deflate', 'br'] as const)('compressed with %s', async (encoding) => {
		await add({ kind: 'status', status: 200, body: { success: true }, encoding });
		const { data, headers } = await fixture.api.get(path, { decompress: false });
		expect(headers['content-encoding']).toBe(encoding);
		expect(data).not.toEqual({ success: true });
		await add({ kind: 'status', status: 200, body: { success: true }, encoding });
		expect((await fixture.api.get(path)).data).toEqual({ success: true });
	});

	test('a body that is small on the wire and large when it is unpacked', async () => {
		await add({ kind: 'status', status: 200, fill: 10_000_000, encoding: 'gzip' });
		const { data } = await fixture.api.get(path, {
			decompress: false,
			responseType: 'arraybuffer',
		});
		expect(data.length).toBeLessThan(100_000);
		expect(gunzipSync(data)).toHaveLength(10_000_000);
	});

	test('bytes that are not what their headers say', async () => {
		await add({
			kind: 'status',
			status: 200,
			bodyBase64: Buffer.from([0xff, 0xfe]).toString('base64'),
			contentType: 'application/json',
			headers: { 'Content-Encoding': 'gzip', 'Content-Length': '1', 'Set-Cookie': 'a=b' },
		});
		const received = await new Connection().ask('Connection: close\r\n').end();
		expect(received).toMatch(/content-encoding: gzip\r\n/);
		expect(received).toMatch(/content-length: 1\r\n/);
		expect(received).toMatch(/set-cookie: a=b\r\n/);
	});

	test('of the service itself, with another status and header', async () => {
		await add({ kind: 'twice', status: 201, headers: { 'x-more': 'yes' } });
		const { status, data, headers } = await fixture.api.get(path);
		expect(status).toBe(201);
		expect(data.user).toBeDefined();
		expect(headers['x-more']).toBe('yes');
	});
});
