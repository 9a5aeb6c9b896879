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
		['those whose body has a text', { bodyContains: '5678"' }, [503, 200, 200]],
		['those whose body has another text', { bodyContains: '5679"' }, [200, 200, 200]],
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

test.each<FaultInput>([
	{ kind: 'silence', path },
	{ kind: 'latency', path, latencyMs: 100 },
])('a reset ends what waits: %j', async (fault) => {
	await fixture.control.addFault(fault);
	const waiting = outcome();
	while (!(await fixture.control.info()).faults[0]?.hits);
	await fixture.control.reset();
	expect(await waiting).toBe('ECONNRESET');
	expect(await fixture.control.messages()).toEqual([]);
});

describe('a list changes after the page that is wanted', () => {
	test.each([
		['newestFirst', 'moves the rest', 25, 3],
		['oldestFirst', 'is appended', 28, 0],
	] as const)('%s: what comes %s', async (listOrder, _what, different, repeated) => {
		await fixture.control.setAssumptions({ listOrder });
		await fixture.control.addMessages(25);
		await fixture.control.addFault({ kind: 'grow', path: '/chat/campaigns', messages: { n: 3 } });
		const ids: string[] = [];
		for (let page = 0; page < 3; page++) {
			const { data } = await fixture.api.get(`/chat/campaigns?limit=10&offset=${page * 10}`);
			ids.push(...data.messages.map(({ id }: { id: string }) => id));
		}
		expect(new Set(ids).size).toBe(different);
		expect(ids.length - new Set(ids).size).toBe(repeated);
	});

	test('as often as wanted, and the response is the usual one', async () => {
		await fixture.control.addCalls(1);
		const calls = { n: 5, template: { callStatus: 'no-answer' } } as const;
		const list = '/voice/call-logs';
		await fixture.control.addFault({ kind: 'grow', path: list, skip: 1, count: 2, calls });
		const totals: number[] = [];
		for (let page = 0; page < 5; page++) {
			totals.push((await fixture.api.get(list)).data.pagination.total);
		}
		expect(totals).toEqual([1, 1, 6, 11, 11]);
		expect(await entry()).toEqual({ status: 200, processed: true, fault: null });
	});

	test('records that get another status leave it', async () => {
		const [message = '', ...messages] = await fixture.control.addMessages(3);
		const [call = ''] = await fixture.control.addCalls(3, { callStatus: 'initiated' });
		await fixture.control.addFault({
			kind: 'grow',
			path: '/chat/campaigns',
			messageStatuses: { [message]: 'Read' },
			callStatuses: { [call]: 'success' },
		});
		const sent = async () => {
			const { data } = await fixture.api.get('/chat/campaigns?status=Sent');
			return data.messages.map(({ id }: { id: string }) => id).sort();
		};
		const started = '/voice/call-logs?status=initiated';
		expect(await sent()).toEqual([message, ...messages].sort());
		expect(await sent()).toEqual(messages.sort());
		expect((await fixture.api.get(started)).data.pagination.total).toBe(2);
	});
});
