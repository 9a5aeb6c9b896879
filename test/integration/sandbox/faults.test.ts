import type { AxiosRequestConfig } from 'axios';
import type { FaultInput } from '../../../sandbox';
import { phone, useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const path = '/chat/send';
const message = { phone, message: 'Hello' };

/** Status of the response, or why there was none. */
async function outcome(config: AxiosRequestConfig = {}): Promise<number | string> {
	return await fixture.api.post(path, message, config).then(
		({ status }) => status,
		({ code }: { code: string }) => code,
	);
}

async function outcomes(count: number): Promise<Array<number | string>> {
	const seen: Array<number | string> = [];
	for (let index = 0; index < count; index++) seen.push(await outcome());
	return seen;
}

/** What the journal says of the first request. */
async function entry() {
	const [first] = await fixture.control.journal({ kind: 'request' });
	return { status: first?.status, processed: first?.processed, fault: first?.fault };
}

const kinds: Array<[FaultInput['kind'], object, number | string, number | null]> = [
	['status', { status: 503 }, 503, 503],
	['cut', {}, 'ECONNRESET', null],
	['silence', {}, 'ERR_CANCELED', null],
];

describe.each(kinds)('%s', (kind, more, seen, status) => {
	test.each([
		['before', false, 0],
		['after', true, 1],
	])('%s processing', async (when, processed, sent) => {
		await fixture.control.addFault({ kind, path, when, ...more } as FaultInput);
		const caller = new AbortController();
		const waiting = outcome({ signal: caller.signal });
		while ((await entry()).fault === undefined || (await entry()).processed !== processed);
		if (kind === 'silence') caller.abort();
		expect(await waiting).toBe(seen);
		expect(await entry()).toEqual({ status, processed, fault: kind });
		expect(await fixture.control.messages()).toHaveLength(sent);
		expect(await outcome()).toBe(200);
	});
});

test('latency delays, and the request is processed after its caller has gone', async () => {
	await fixture.control.addFault({ kind: 'latency', path, latencyMs: 600 });
	expect(await outcome({ timeout: 300 })).toBe('ECONNABORTED');
	while ((await fixture.control.messages()).length === 0);
	expect(await entry()).toEqual({ status: null, processed: true, fault: 'latency' });
});

describe('which requests are hit', () => {
	const busy = { kind: 'status', status: 503, path } as const;

	test.each([
		['the first ones, as many as counted', { count: 2 }, [503, 503, 200]],
		['those after the skipped ones', { skip: 1 }, [200, 503, 200]],
		['all of them', { count: 'infinite' }, [503, 503, 503]],
		['those of the method', { method: 'get' }, [200, 200, 200]],
		['those of the path', { path: '/balance' }, [200, 200, 200]],
		['those of any path', { path: '*' }, [503, 200, 200]],
		['those whose body has a text', { bodyContains: '0678"' }, [503, 200, 200]],
		['those whose body has another text', { bodyContains: '0000"' }, [200, 200, 200]],
	] as Array<[string, Partial<FaultInput>, number[]]>)('%s', async (_which, fault, seen) => {
		await fixture.control.addFault({ ...busy, ...fault } as FaultInput);
		expect(await outcomes(3)).toEqual(seen);
		await fixture.control.clearFaults();
		expect(await outcome()).toBe(200);
	});

	test('each by one fault, the first added first, before the key is looked at', async () => {
		await fixture.control.addFault({ ...busy, name: 'first' });
		await fixture.control.addFault({ ...busy, status: 502 });
		expect((await fixture.caller({}).post(path)).status).toBe(503);
		expect(await outcomes(2)).toEqual([502, 200]);
		const entries = await fixture.control.journal({ kind: 'request' });
		expect(entries.map(({ fault }) => fault)).toEqual(['first', 'status', null]);
	});
});
