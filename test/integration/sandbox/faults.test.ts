import type { AxiosRequestConfig } from 'axios';
import { waitFor } from '../../../harness';
import type { FaultInput, RequestEntry } from '../../../sandbox';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const message = { phone: '919812345678', message: 'Hello' };

function send(body: object = message, config: AxiosRequestConfig = {}) {
	return fixture.api.post('/chat/send', body, config);
}

/** Status of the answer, or why there was none. */
async function outcome(config: AxiosRequestConfig = {}): Promise<number | string> {
	return await send(message, config).then(
		({ status }) => status,
		({ code }: { code: string }) => code,
	);
}

/** What the journal says of the only request, and how many messages were sent. */
async function trace() {
	const [entry, ...others] = await fixture.control.journal({ kind: 'request' });
	expect(others).toEqual([]);
	const { length: sent } = await fixture.control.messages();
	return { status: entry?.status, processed: entry?.processed, fault: entry?.fault, sent };
}

/** As `outcome`, of a caller that goes when its request has come so far. */
async function outcomeOfLeaving(when: (entry: RequestEntry) => boolean): Promise<number | string> {
	const caller = new AbortController();
	const left = outcome({ signal: caller.signal });
	await waitFor('the moment to leave', async () => {
		const [entry] = await fixture.control.journal({ kind: 'request' });
		return (entry && when(entry)) || undefined;
	});
	caller.abort();
	return await left;
}

/** Each kind: what the caller sees, and what the journal keeps. */
const kinds: Array<[FaultInput['kind'], object, number | string, number | null]> = [
	['status', { status: 503, body: 'Busy' }, 503, 503],
	['html', {}, 200, 200],
	['redirect', { location: 'https://other.example/' }, 302, 302],
	['cut', {}, 'ECONNRESET', null],
];

test.each([
	['before', false, 0],
	['after', true, 1],
])('silence %s processing', async (when, processed, sent) => {
	const fault = { kind: 'silence', path: '/chat/send', when } as FaultInput;
	await fixture.control.addFault(fault);
	const hasStruck = (entry: RequestEntry) => entry.fault !== null && entry.processed === processed;
	expect(await outcomeOfLeaving(hasStruck)).toBe('ERR_CANCELED');
	expect(await trace()).toEqual({ status: null, processed, fault: 'silence', sent });
	expect(await outcome()).toBe(200);
});

describe.each(kinds)('%s', (kind, more, seen, status) => {
	test.each([
		['before', false, 0],
		['after', true, 1],
	])('%s processing', async (when, processed, sent) => {
		const fault = { kind, path: '/chat/send', when, ...more } as FaultInput;
		await fixture.control.addFault(fault);
		expect(await outcome()).toBe(seen);
		expect(await trace()).toEqual({ status, processed, fault: kind, sent });
		expect(await outcome()).toBe(200);
	});
});

test('half a response comes after processing', async () => {
	await fixture.control.addFault({ kind: 'halfResponse', path: '/chat/send' });
	expect(await outcome()).toBe('ERR_BAD_RESPONSE');
	expect(await trace()).toEqual({ status: null, processed: true, fault: 'halfResponse', sent: 1 });
});

test('latency only delays', async () => {
	await fixture.control.addFault({ kind: 'latency', path: '/chat/send', latencyMs: 600 });
	expect(await outcome({ timeout: 300 })).toBe('ECONNABORTED');
	const { status } = await fixture.api.get('/balance');
	expect(status).toBe(200);
});

test('a late request is still processed after the caller has gone', async () => {
	await fixture.control.addFault({ kind: 'latency', path: '/chat/send', latencyMs: 1_500 });
	expect(await outcomeOfLeaving(({ fault }) => fault !== null)).toBe('ERR_CANCELED');
	const sent = async () => (await fixture.control.messages()).length;
	await waitFor('the message to be sent', async () => (await sent()) > 0 || undefined);
	expect(await trace()).toEqual({ status: null, processed: true, fault: 'latency', sent: 1 });
});

test('a status comes with any body, content type and headers', async () => {
	const common = { kind: 'status', path: '/chat/send' } as const;
	await fixture.control.addFault({ ...common, status: 500, body: { error: 'Broken' } });
	await fixture.control.addFault({ ...common, status: 200, body: '<p>', contentType: 'text/html' });
	await fixture.control.addFault({ ...common, status: 429, headers: { 'retry-after': '1' } });
	const [json, html, late] = [await send(), await send(), await send()];
	expect(json).toMatchObject({ status: 500, data: { error: 'Broken' } });
	expect(html).toMatchObject({
		status: 200,
		data: '<p>',
		headers: { 'content-type': 'text/html' },
	});
	expect(late).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
});

test('HTML and redirects are what they say', async () => {
	await fixture.control.addFault({ kind: 'html', path: '/chat/send' });
	await fixture.control.addFault({
		kind: 'redirect',
		path: '/chat/send',
		location: '/login',
		status: 307,
	});
	const [page, redirect] = [await send(), await send()];
	expect(page.headers['content-type']).toContain('text/html');
	expect(page.data).toContain('<!DOCTYPE html>');
	expect(redirect).toMatchObject({ status: 307, headers: { location: '/login' } });
});

describe('which requests are hit', () => {
	const busy = { kind: 'status', status: 503 } as const;

	async function outcomes(count: number): Promise<Array<number | string>> {
		const seen: Array<number | string> = [];
		for (let index = 0; index < count; index++) seen.push(await outcome());
		return seen;
	}

	test('the first, as many as counted', async () => {
		await fixture.control.addFault({ ...busy, path: '/chat/send', count: 2 });
		expect(await outcomes(4)).toEqual([503, 503, 200, 200]);
	});

	test('all of them, until the faults are removed', async () => {
		await fixture.control.addFault({ ...busy, path: '/chat/send', count: Infinity });
		expect(await outcomes(3)).toEqual([503, 503, 503]);
		await fixture.control.clearFaults();
		expect(await outcomes(1)).toEqual([200]);
	});

	test('those after the skipped ones', async () => {
		await fixture.control.addFault({ ...busy, path: '/chat/send', skip: 2 });
		expect(await outcomes(4)).toEqual([200, 200, 503, 200]);
	});

	test('some by chance, the same ones for the same seed', async () => {
		const fault = { ...busy, path: '/chat/send', count: 'infinite', probability: 0.5 } as const;
		const runs: unknown[] = [];
		for (const seed of [3, 3, 4]) {
			await fixture.control.reset(seed);
			await fixture.control.addFault(fault);
			const key = (await fixture.control.info()).keys.production;
			const seen: number[] = [];
			for (let index = 0; index < 40; index++) {
				const headers = { 'x-api-key': key };
				seen.push((await fixture.api.post('/chat/send', message, { headers })).status);
			}
			expect(new Set(seen)).toEqual(new Set([200, 503]));
			runs.push(seen);
		}
		await fixture.control.reset(1);
		expect(runs[0]).toEqual(runs[1]);
		expect(runs[0]).not.toEqual(runs[2]);
	});

	test('those of a method and a path', async () => {
		await fixture.control.addFault({ ...busy, method: 'get', path: '/chat/webhooks' });
		const body = { url: 'https://receiver.example/x' };
		expect((await fixture.api.post('/chat/webhooks', body)).status).toBe(201);
		expect((await fixture.api.get('/balance')).status).toBe(200);
		expect((await fixture.api.get('/chat/webhooks')).status).toBe(503);
	});

	test('any with *, those without a key too', async () => {
		await fixture.control.addFault({ ...busy, path: '*', count: 2 });
		expect((await fixture.caller({}).get('/balance')).status).toBe(503);
		expect((await fixture.api.get('/nothing')).status).toBe(503);
	});

	test('those whose JSON body contains a text', async () => {
		await fixture.control.addFault({ ...busy, path: '/chat/send', bodyContains: '111"' });
		expect((await send({ ...message, phone: '919812345222' })).status).toBe(200);
		expect((await send({ ...message, phone: '919812345111' })).status).toBe(503);
	});

	test('by one fault at a time, the first added first', async () => {
		await fixture.control.addFault({ ...busy, path: '/chat/send', name: 'first' });
		await fixture.control.addFault({
			kind: 'status',
			status: 502,
			path: '/chat/send',
			name: 'second',
		});
		expect(await outcomes(3)).toEqual([503, 502, 200]);
		const entries = await fixture.control.journal({ kind: 'request' });
		expect(entries.map(({ fault }) => fault)).toEqual(['first', 'second', null]);
		expect((await fixture.control.faults()).map(({ hits }) => hits)).toEqual([1, 1]);
	});
});

test('an upload can fail before and after its file is taken', async () => {
	for (const when of ['before', 'after'] as const) {
		await fixture.control.addFault({ kind: 'status', status: 502, path: '/chat/upload', when });
		const form = new FormData();
		form.set('file', new Blob(['x'.repeat(1_000_000)]), 'a.pdf');
		expect((await fixture.api.post('/chat/upload', form)).status).toBe(502);
	}
	const entries = await fixture.control.journal({ kind: 'request' });
	expect(entries.map(({ processed }) => processed)).toEqual([false, true]);
});

test('a reset closes the connections that got no answer', async () => {
	await fixture.control.addFault({ kind: 'silence', path: '/chat/send' });
	const waiting = outcome();
	while ((await fixture.control.stats()).concurrentRequests === 0);
	while ((await fixture.control.faults())[0]?.hits === 0);
	await fixture.control.reset();
	expect(await waiting).toBe('ECONNRESET');
});

test('a delayed request does not reach into the time after a reset', async () => {
	await fixture.control.addFault({ kind: 'latency', path: '/chat/send', latencyMs: 100 });
	const waiting = outcome();
	while ((await fixture.control.faults())[0]?.hits === 0);
	await fixture.control.reset();
	expect(await waiting).toBe('ECONNRESET');
	expect(await fixture.control.messages()).toEqual([]);
});

test('a fault that makes no sense is refused', async () => {
	const wrong = { kind: 'explode', path: '/chat/send' } as unknown as FaultInput;
	await expect(fixture.control.addFault(wrong)).rejects.toThrow('kind');
	const unknown = { kind: 'cut', path: '/x', typo: 1 } as unknown as FaultInput;
	await expect(fixture.control.addFault(unknown)).rejects.toThrow('typo');
});
