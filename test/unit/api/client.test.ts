import { Readable } from 'node:stream';
import fc from 'fast-check';
import { range } from 'lodash';
import { sleep, type IHttpRequestOptions } from 'n8n-workflow';
import {
	connect,
	connection,
	type ApiRequest,
	type CallOptions,
} from '../../../nodes/MessagingService/api/client';
import { withKey } from '../../../nodes/MessagingService/api/credential';
import { endpoints, type ApiResponse } from '../../../nodes/MessagingService/api/endpoints';
import { Failure, failureOr, InputFailure } from '../../../nodes/MessagingService/api/failure';
import { fakeFile } from '../../support/unit/fakeRead';

jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: jest.fn(),
}));

const actualSleep = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow').sleep;

/** The pauses between tries, in milliseconds; they are over at once. */
const pauses: number[] = [];
let onPause = () => {};

beforeEach(() => {
	pauses.length = 0;
	onPause = () => {};
	jest.mocked(sleep).mockImplementation(async (pause, signal) => {
		if (signal) return await actualSleep(pause, signal);
		pauses.push(pause);
		onPause();
	});
});

const key = 'msk_0123456789';
const credentials = { baseUrl: ' https://host.example/api/v1/ ', apiKey: key, countryCodes: '' };
const read: ApiRequest = { endpoint: endpoints.getBalance };
const send: ApiRequest = { endpoint: endpoints.sendText, body: { phone: '1' } };
const description = 'Check that the service can be reached, then try again.';

/** What n8n's helper was given, and what comes of it: JSON, bytes, or something thrown. */
type Answer = (options: IHttpRequestOptions, signal: AbortSignal) => unknown;

type Options = CallOptions & { statusCode?: number; stopped?: AbortSignal; credential?: object };

/** A request through a connection whose helper answers so, and what the helper was given. */
async function made(
	request: ApiRequest,
	answer: Answer = () => ({ success: true }),
	{ statusCode = 200, stopped, credential, ...options }: Options = {},
) {
	const sent: IHttpRequestOptions[] = [];
	const send = async (one: IHttpRequestOptions, signal: AbortSignal): Promise<ApiResponse> => {
		sent.push(one);
		const body = await answer(one, signal);
		if (body instanceof Error) throw body;
		return { statusCode, headers: {}, body };
	};
	const call = connection({ ...credentials, ...credential }, send, stopped);
	return { result: await failureOr(call(request, options)), sent, options: sent[0] };
}

const bytesOf = (...chunks: Array<string | Buffer>) =>
	Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

const codeOf = (code: string, message = code) => Object.assign(new Error(message), { code });

describe('a request as n8n gets it', () => {
	const common = {
		timeout: 7_000,
		encoding: 'stream',
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: { ignore: true, except: [403, 407, 429, 502, 503, 504] },
		returnFullResponse: true,
	};

	test('has query and body as JSON', async () => {
		const request = { ...send, query: { q: 1 }, body: { a: 'ä' } };
		const { options } = await made(request, undefined, { timeout: 7_000 });
		expect(options).toStrictEqual({
			...common,
			method: 'POST',
			url: 'https://host.example/api/v1/chat/send',
			headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
			qs: { q: 1 },
			body: Buffer.from('{"a":"ä"}'),
		});
	});

	test.each<[string, (execution: AbortController) => void, number]>([
		['takes too long', () => {}, 1],
		['is stopped', (execution) => execution.abort(), 60_000],
	])('has the file of a form, and closes it when it %s', async (_what, ends, timeout) => {
		const file = bytesOf('one', 'two');
		const open = async () => await Promise.resolve(file);
		const form = { fields: {}, file: { ...fakeFile(), open } };
		const execution = new AbortController();
		const answer: Answer = async (sent) => {
			await (sent.body as Readable)[Symbol.asyncIterator]().next();
			ends(execution);
			return await new Promise(() => {});
		};
		const more = { timeout, stopped: execution.signal };
		const { result, options } = await made({ endpoint: endpoints.upload, form }, answer, more);
		expect(result).toBeInstanceOf(Failure);
		expect(options?.headers).toEqual({
			Accept: 'application/json',
			'Content-Type': expect.stringMatching(/^multipart\/form-data; boundary=n8n-[0-9a-f-]{36}$/),
			'Content-Length': expect.any(Number),
		});
		expect(file.destroyed).toBe(true);
	});

	test('is not made if its file cannot be opened', async () => {
		const open = async () => await Promise.reject(new Error('x'.repeat(501)));
		const form = { fields: {}, file: { ...fakeFile('', 'n'.repeat(101)), open } };
		const { result, sent } = await made({ endpoint: endpoints.upload, form });
		expect(result).toMatchObject({
			message: `The file "${'n'.repeat(100)}" could not be opened`,
			description: `Check the node that created the file. n8n reports: ${'x'.repeat(500)}`,
			outcome: 'notSent',
		});
		expect(sent).toEqual([]);
	});
});

const endpoint = { ...endpoints.getBalance, path: '/chat/messages/:id/cancel' };
const part = fc.constantFrom('..', '%2e', '\ud800', '\udc00', ':id', ...'./\\?# ');
const odd = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.array(part).map((parts) => parts.join('')),
);

test('a path goes out with its parameter as one part of it, or not at all', async () => {
	await fc.assert(
		fc.asyncProperty(odd, async (id) => {
			const { result, options } = await made({ endpoint, params: { id } });
			if (result instanceof Failure) {
				expect(result).toBeInstanceOf(InputFailure);
				expect(result.message).toMatch(/^The id ".*" cannot be part of a URL$/);
				expect(options).toBeUndefined();
				return;
			}
			const { pathname, search, hash } = new URL(String(options?.url));
			expect(search + hash).toBe('');
			const parts = pathname.split('/').map(decodeURIComponent);
			expect(parts).toEqual(['', 'api', 'v1', 'chat', 'messages', id, 'cancel']);
		}),
		{ numRuns: 1_000, examples: [['..'], ['.'], [''], ['\ud800'], ['a\udc00'], ['😀']] },
	);
});

describe('a response', () => {
	test.each<[unknown, object]>([
		[{ ok: 1 }, { ok: 1 }],
		[bytesOf('{"o', 'k":1}'), { ok: 1 }],
		[bytesOf('\uFEFF{"ok":1}'), { ok: 1 }],
		[bytesOf('[1]'), { records: [1] }],
		[bytesOf(`{"ok":"Bearer ${key}"}`), { ok: 'Bearer [API key]' }],
		[
			bytesOf('{"__proto__":{"a":1},"b":[{"toString":1,"valueOf":2,"c":null}]}'),
			{ b: [{ c: null }] },
		],
	])('is read, without the key and what does harm: %#', async (body, json) => {
		const { result } = await made(read, () => body);
		expect(result).toEqual(json);
		expect(Object.keys(result)).toEqual(Object.keys(json));
	});

	const nested = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
	// They are counted before they are parsed: this has no end.
	const names = `{${range(100_001)
		.map((name) => `"${name}":1`)
		.join()}`;
	const tooMany = 'it has more than 100000 values';

	test.each([
		['it is nested too deeply', nested],
		[tooMany, names],
		[tooMany, `[${'1,'.repeat(100_001)}1]`],
	])('is of no use if %s', async (reason, text) => {
		const { result } = await made(read, () => bytesOf(text), { statusCode: 201 });
		const message = `The response cannot be used: ${reason}`;
		expect(result).toMatchObject({ message, description, outcome: 'unknown', statusCode: 201 });
	});
});

describe('the key', () => {
	const character = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
	const keys = fc
		.string({ unit: character, minLength: 8, maxLength: 60 })
		.filter((text) => text.trim().length >= 8);
	const around = fc.string({ maxLength: 5 });
	const encoded = (before: string, encoding: BufferEncoding) => (text: string) =>
		Buffer.from(`${before}${text}:`).toString(encoding);
	const writings = fc.constantFrom(
		(text: string) => text,
		(text: string) => JSON.stringify(text),
		(text: string) => `https://host.example/?key=${encodeURIComponent(text)}`,
		// As a part of a longer text, such as an Authorization header.
		...['', 'a', 'me:'].flatMap((name) => [encoded(name, 'base64'), encoded(name, 'base64url')]),
		encoded('', 'hex'),
		(text: string) => encoded('', 'hex')(text).toUpperCase(),
	);

	const ways: Array<[string, (error: string) => Answer, object]> = [
		['a text', (error) => () => ({ error }), { statusCode: 400 }],
		['a name', (error) => () => bytesOf(JSON.stringify({ a: [{ [error]: 1 }] })), {}],
		['what is no JSON', (error) => () => bytesOf(`page ${error}`), { statusCode: 403 }],
		['what n8n throws', (error) => () => codeOf('CERT_HAS_EXPIRED', error), {}],
	];

	test.each(ways)('is masked in %s', async (_name, answer, facts) => {
		await fc.assert(
			fc.asyncProperty(keys, writings, around, around, async (drawn, write, before, after) => {
				const apiKey = drawn.trim();
				const given = answer(`${before}${write(apiKey)}${after}`);
				const credential = { ...credentials, apiKey: ` ${apiKey} ` };
				const { result } = await made(read, given, { ...facts, noRetry: true, credential });
				const said = result instanceof Failure ? [result.message, { ...result }] : result;
				const everything = JSON.stringify(said);
				expect(everything).toContain('[API key]');
				expect(JSON.parse(everything)).toEqual(said);
				expect(everything).not.toContain(JSON.stringify(apiKey).slice(1, -1));
			}),
			{ numRuns: 200 },
		);
	});

	test.each(['1', 'success'])('%j could be part of any word', async (apiKey) => {
		const body = { success: true, message: 'success 1' };
		const { result } = await made(read, () => body, { credential: { apiKey } });
		expect(result).toEqual(body);
	});
});

describe('a request that fails', () => {
	const page = '<html>';
	test.each<[string, ApiRequest, Answer, number, number]>([
		['read after status 502', read, () => page, 502, 4],
		['read after status 504', read, () => page, 504, 4],
		['send after status 503', send, () => page, 503, 1],
		['unpaid write after status 502', { endpoint: endpoints.deleteWebhook }, () => page, 502, 1],
		['read after status 500', read, () => page, 500, 1],
		['read after a cut connection', read, () => codeOf('ECONNRESET'), 200, 4],
		['read without a connection', read, () => codeOf('ENOTFOUND'), 200, 4],
		['read after a timeout', read, () => codeOf('ECONNABORTED'), 200, 1],
		['send without a connection', send, () => codeOf('ECONNREFUSED'), 200, 4],
		['send after a cut connection', send, () => codeOf('ECONNRESET'), 200, 1],
	])('%s', async (_name, request, answer, statusCode, tries) => {
		const { result, sent } = await made(request, answer, { statusCode });
		expect(result).toBeInstanceOf(Failure);
		expect(sent).toHaveLength(tries);
		expect(pauses).toEqual([500, 1_000, 2_000].slice(0, tries - 1));
		expect((await made(request, answer, { statusCode, noRetry: true })).sent).toHaveLength(1);
	});

	test('is made until it succeeds, with its file opened again', async () => {
		const open = jest.fn(async () => await Promise.resolve(bytesOf('content')));
		const form = { fields: {}, file: { ...fakeFile(), open } };
		let failures = 2;
		const answer = () => (failures-- > 0 ? codeOf('ECONNREFUSED') : { success: true });
		const { result } = await made({ ...send, form }, answer);
		expect(result).toEqual({ success: true });
		expect(open).toHaveBeenCalledTimes(3);
	});

	test('is not made again once the execution is stopped', async () => {
		const execution = new AbortController();
		onPause = () => execution.abort();
		const { result, sent } = await made(send, () => codeOf('ECONNREFUSED'), {
			stopped: execution.signal,
		});
		expect(result).toMatchObject({ outcome: 'notSent' });
		expect(sent).toHaveLength(1);
	});
});

test('a stopped execution does not end a send that is under way', async () => {
	const execution = new AbortController();
	let wasAborted: boolean | undefined;
	const answer: Answer = async (_, signal) => {
		execution.abort();
		await new Promise(setImmediate);
		wasAborted = signal.aborted;
		return { success: true };
	};
	const { result } = await made(send, answer, { stopped: execution.signal });
	expect(result).toEqual({ success: true });
	expect(wasAborted).toBe(false);
});

describe('what a credential cannot have', () => {
	test.each([
		...['https://a\\b.example', 'https://a\u200bb.example', 'https://host.example/a\nb', undefined],
		...['https://[', 'https://u:word@host.example', 'https://host.example/?a'],
		'https://host.example?a@b',
		`https://host.example/${'/'.repeat(50_000)}a`,
	])('the base URL %j', async (baseUrl) => {
		await expect(made(read, undefined, { credential: { baseUrl } })).rejects.toMatchObject({
			message: 'The base URL of the credential is not a web address',
			description: expect.stringContaining('https://host.example/api/v1, without user name'),
			outcome: 'notSent',
		});
	});

	test.each([
		[' https://host.example/api/v1// ', 'https://host.example/api/v1'],
		['HTTP://127.0.0.1:5000', 'HTTP://127.0.0.1:5000'],
		['https://host.example/a//b@c', 'https://host.example/a//b@c'],
	])('the base URL %j is taken', async (address, baseUrl) => {
		const { options } = await made(read, undefined, { credential: { baseUrl: address } });
		expect(options?.url).toBe(`${baseUrl}/balance`);
	});

	test.each([
		...['ka\nbk', 'kaüĀk', 'k\u007fk', 'k\u00a0b\u00a0ck'].map((apiKey) => [
			apiKey,
			'The API key of the credential contains an invalid character',
		]),
		...[undefined, null, '', ' \n'].map((apiKey) => [apiKey, 'API Key is empty']),
	])('the key %j', async (apiKey, message) => {
		const connected = made(read, undefined, { credential: { apiKey } });
		const description = expect.stringContaining(
			'Open the credential and enter the API key',
		) as string;
		await expect(connected).rejects.toMatchObject({ message, description, outcome: 'notSent' });
	});

	test.each([' msk_1 ', 'a ~\u00a1ÿ'])('the key %j is taken', async (apiKey) => {
		const { result } = await made(read, undefined, { credential: { apiKey } });
		expect(result).toEqual({ success: true });
	});
});

describe('a request of another node with the credential', () => {
	const withUri = (uri: string, more: object = {}) =>
		withKey(credentials, { uri, ...more } as unknown as IHttpRequestOptions);
	const root = 'https://host.example/api/v1';

	test.each([
		`${root}/`,
		`${root}/contacts?a=../b#c`,
		'https://HOST.example:443/api/v1/x',
		'https://host.example/other/../api/v1/x',
	])('has the key below the base URL: %s', (address) => {
		const headers = { 'X-API-Key': 'other', Host: 'other.example', accept: '*/*' };
		for (const options of [
			withUri(address, { headers }),
			withKey(credentials, { url: address, headers }),
		]) {
			expect(options.headers).toStrictEqual({ accept: '*/*', 'x-api-key': key });
			expect(options).toMatchObject({ disableFollowRedirect: true, followRedirect: false });
		}
	});

	test('is rejected through a proxy or another base', () => {
		const proxy = () => withUri(`${root}/x`, { proxy: 'http://proxy.example' });
		expect(proxy).toThrow('Proxy option of a node');
		const base = () => withUri(`${root}/x`, { baseURL: 'https://other.example' });
		expect(base).toThrow('only for URLs that begin with its base URL');
	});

	test('goes nowhere but to the origin and below the path, however its address is written', () => {
		const part = fc.constantFrom(
			...['http', 'https', ':', '/', 'host.example', 'o.example', ':8443', 'api', 'v1', 'V1'],
			...['u:p@', '@', '..', '%2e', '%2f', '%5C', '\\', '?', '#', '\t', '0'],
		);
		const origins = ['https://u:p@host.example', 'http://host.example', 'https://host.example:1'];
		const bases = [...origins, 'https://o.example'].map((origin) => `${origin}/api/v1/`);
		const start = fc.constantFrom('', root, `${root}/`, ...bases);
		fc.assert(
			fc.property(start, fc.array(part, { maxLength: 8 }), (first, parts) => {
				const address = [first, ...parts].join('');
				try {
					withUri(address);
				} catch {
					return;
				}
				const { origin, pathname, username } = new URL(address);
				expect([origin, username]).toEqual(['https://host.example', '']);
				const segments = decodeURIComponent(pathname).replaceAll('\\', '/').split('/');
				expect(segments.slice(1, 3)).toEqual(['api', 'v1']);
				expect(segments).not.toContain('..');
			}),
			{ numRuns: 5_000 },
		);
	});
});

const ofItem = (json?: { account: string }) => {
	if (!json) throw new Error('There is no item');
	return { countryCodes: json.account };
};

test.each<[typeof ofItem, string[], number | undefined, number]>([
	[ofItem, ['1', '91'], 1, 3],
	[ofItem, ['1', '1', '91', '1'], 2, 4],
	[ofItem, ['1', '1', '1'], undefined, 4],
	[() => ({ countryCodes: '1' }), ['1', '91', '1'], undefined, 2],
	[ofItem, ['1'], undefined, 1],
])('the values of a credential may not differ by item (%p, %j: %p)', async (...drawn) => {
	const [valueOf, accounts, item, reads] = drawn;
	const items = accounts.map((account) => ({ json: { account } }));
	// As n8n reads it: behind the last item `$json` throws.
	const getCredentials = jest.fn(
		async (_type: string, at = 0) =>
			await Promise.resolve({ ...credentials, ...valueOf(items[at]?.json) }),
	);
	const context = { getCredentials, getInputData: () => items, helpers: {} };
	const result = await failureOr(connect(context as never));
	const values = 'The expressions of the credential return different values';
	const message = `${values} for item 0 and item ${item}`;
	if (item !== undefined) expect(result).toMatchObject({ message, outcome: 'notSent' });
	else expect(result).not.toBeInstanceOf(Failure);
	expect(getCredentials).toHaveBeenCalledTimes(reads);
});
