import { Readable } from 'node:stream';
import { NodeApiError, type IHttpRequestOptions } from 'n8n-workflow';
import { largestBody } from '../../../nodes/MessagingService/api/body';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { exchange } from '../../../nodes/MessagingService/api/exchange';
import { Failure, failureOr } from '../../../nodes/MessagingService/api/failure';
import { maskOf } from '../../../nodes/MessagingService/api/masking';
import { pathOf, withoutEmpty, type ApiRequest } from '../../../nodes/MessagingService/api/request';
import { withAdvice } from '../../../nodes/MessagingService/api/withAdvice';
import { node } from '../../../harness/builders';
import { fakeFile } from '../../support/unit/fakeRead';

const baseUrl = 'https://host.example/api/v1';
const key = 'msk_0123456789';
const read = { endpoint: endpoints.getBalance };
const going = new AbortController().signal;

/** What a request looked like, and what became of it. */
async function exchanged(
	request: ApiRequest,
	answer: (signal: AbortSignal, sent: IHttpRequestOptions) => unknown = () => ({}),
	{ statusCode = 200, location = undefined as unknown, stopped = going, timeout = 60_000 } = {},
) {
	const sent: IHttpRequestOptions[] = [];
	const way = {
		baseUrl,
		mask: maskOf(key),
		transport: async (options: IHttpRequestOptions, signal: AbortSignal) => {
			sent.push(options);
			const body = await answer(signal, options);
			return { statusCode, headers: { location, 'x-other': 1 }, body };
		},
	};
	const result = await exchange(request, way, timeout, stopped);
	return { result, options: sent[0] };
}

const bytesOf = (...chunks: Array<string | Buffer>) =>
	Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

const description = 'Check that the service can be reached, then try again.';

describe('a request as n8n gets it', () => {
	const common = {
		timeout: 7_000,
		encoding: 'stream',
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
	};

	test('has nothing that it was not given', async () => {
		const { options } = await exchanged(read, undefined, { timeout: 7_000 });
		expect(options).toStrictEqual({
			...common,
			method: 'GET',
			url: `${baseUrl}${endpoints.getBalance.path}`,
			headers: { Accept: 'application/json' },
		});
	});

	test('has query and body, as JSON or as written', async () => {
		const written = Buffer.from('{"a":"ä"}');
		for (const body of [{ a: 'ä' }, written]) {
			const request = { endpoint: endpoints.sendText, query: { q: 1 }, body };
			const { options } = await exchanged(request, undefined, { timeout: 7_000 });
			expect(options).toStrictEqual({
				...common,
				method: 'POST',
				url: `${baseUrl}${endpoints.sendText.path}`,
				headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
				qs: { q: 1 },
				body: written,
			});
		}
	});

	test('has the file of a form, and closes it when it is not sent to its end', async () => {
		const file = Readable.from([Buffer.from('one'), Buffer.from('two')]);
		const form = {
			fields: {},
			file: { ...fakeFile(), open: async () => await Promise.resolve(file) },
		};
		const { options } = await exchanged({ endpoint: endpoints.upload, form }, async (_, sent) => {
			await (sent.body as Readable)[Symbol.asyncIterator]().next();
			throw new Error('broken');
		});
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
		const result = await failureOr(exchanged({ endpoint: endpoints.upload, form }));
		expect(result).toBeInstanceOf(Failure);
		expect(result).toMatchObject({
			message: `The file "${'n'.repeat(100)}" could not be opened`,
			description: `Check the node that made the file. n8n says: ${'x'.repeat(500)}`,
			outcome: 'notSent',
		});
	});

	test('has its parameters in its path, as parts of it', () => {
		const endpoint = { ...endpoints.getBalance, path: '/a/:first/b/:other' };
		expect(pathOf({ endpoint, params: { first: 'x/y', other: 'ä' } })).toBe('/a/x%2Fy/b/%C3%A4');
		expect(pathOf({ endpoint, params: { first: '1' } })).toBe('/a/1/b/');
		expect(pathOf({ endpoint })).toBe('/a//b/');
		expect(withoutEmpty({ a: '', b: undefined, c: null, d: 0, e: false })).toEqual({
			c: null,
			d: 0,
			e: false,
		});
	});
});

describe('a response', () => {
	test.each<[unknown, unknown]>([
		[{ ok: 1 }, { ok: 1 }],
		[bytesOf('{"o', 'k":1}'), { ok: 1 }],
		[bytesOf('\uFEFF{"ok":1}'), { ok: 1 }],
		[bytesOf('[1]'), { records: [1] }],
		[bytesOf(`{"ok":"Bearer ${key}"}`), { ok: 'Bearer [API key]' }],
		[
			bytesOf('{"__proto__":{"a":1},"b":[{"toString":1,"valueOf":2,"c":null}]}'),
			{ b: [{ c: null }] },
		],
	])('is read, unmasked and tamed: %#', async (body, json) => {
		const { result } = await exchanged(read, () => body);
		expect(result).toEqual(json);
		expect(Object.keys(result)).toEqual(Object.keys(json as object));
	});

	test.each([
		[bytesOf('a\uFEFFb'), 'a b'],
		[bytesOf('{"ok":1'), '{"ok":1'],
		['text', 'text'],
		[7, '7'],
		[null, 'an empty body'],
		[undefined, 'an empty body'],
	])('that is no JSON is shown: %#', async (body, shown) => {
		const { result } = await exchanged(read, () => body);
		expect(result).toMatchObject({
			message: `The base URL does not answer like the service (status 200): ${shown}`,
		});
	});

	test('tells where it redirects', async () => {
		const location = `https://other.example/${key}`;
		const { result } = await exchanged(read, () => '', { statusCode: 302, location });
		expect(result).toMatchObject({
			message: 'The base URL redirects to https://other.example/[API key]',
			statusCode: 302,
		});
	});

	const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

	test('may be nested and large, but not endlessly', async () => {
		const quotes = 2;
		for (const [body, what] of [
			[bytesOf(nested(102)), 'it is nested too deep'],
			[bytesOf('"', Buffer.alloc(largestBody - 1, 'x'), '"'), 'it has more than 16 MB'],
		] as const) {
			const { result } = await exchanged(read, () => body, { statusCode: 201 });
			expect(result).toBeInstanceOf(Failure);
			expect(result).toMatchObject({
				message: `The response is not one of the service: ${what}`,
				description,
				outcome: 'unknown',
				statusCode: 201,
			});
		}
		const deep = await exchanged(read, () => bytesOf(nested(101)));
		expect(deep.result).toEqual(JSON.parse(nested(101)));
		const large = bytesOf('"', Buffer.alloc(largestBody - quotes, 'x'), '"');
		const { result } = await exchanged(read, () => large);
		expect(result).toMatchObject({ message: expect.stringContaining('answer like the service') });
	});

	test('that breaks off is unknown, and says nothing of the key', async () => {
		async function* broken(): AsyncGenerator<Buffer> {
			yield await Promise.resolve(Buffer.from('{'));
			throw Object.assign(new Error('x'), { code: key });
		}
		const { result } = await exchanged(read, () => Readable.from(broken()));
		expect(result).toMatchObject({
			message: 'The connection to host.example was cut before the answer was complete',
			description,
			outcome: 'unknown',
			facts: { code: '[API key]' },
		});
	});

	test('that never comes shows no key either', async () => {
		const error = Object.assign(new Error('x'), { code: key });
		const { result } = await exchanged(read, async () => await Promise.reject(error));
		expect(result).toMatchObject({ outcome: 'unknown', facts: { code: '[API key]' } });
	});
});

describe('an execution that is stopped', () => {
	const message = 'The execution was stopped before the answer came';

	test.each(['before', 'meanwhile'])('%s the body is read closes it', async (when) => {
		const controller = new AbortController();
		const body = new Readable({ read() {} });
		const stop = () => controller.abort();
		const answer = () => {
			if (when === 'before') stop();
			else setTimeout(stop, 1);
			return body;
		};
		const { result } = await exchanged(read, answer, { stopped: controller.signal });
		expect(result).toMatchObject({ message, description, facts: { code: 'ERR_CANCELED' } });
		await new Promise((resolve) => setTimeout(resolve, 1));
		expect(body.destroyed).toBe(true);
	});

	test('ends the request itself', async () => {
		const controller = new AbortController();
		let given: AbortSignal | undefined;
		const answer = async (signal: AbortSignal) => {
			given = signal;
			controller.abort();
			return await new Promise(() => {});
		};
		const { result } = await exchanged(read, answer, { stopped: controller.signal });
		expect(result).toMatchObject({ message });
		expect(given?.aborted).toBe(true);
	});
});

describe('a step of which n8n shows the message alone', () => {
	const context = { getNode: () => node('Trigger', 'a.b') };
	const failing = (message: string, statusCode?: number) => async () =>
		await Promise.reject(
			new Failure(message, { outcome: 'rejected', description: 'D.', statusCode }),
		);

	test('gives what it gives', async () => {
		expect(await withAdvice(context, async () => await Promise.resolve(7))).toBe(7);
	});

	test.each([
		['Gone.', 404, 'Gone. D.', '404'],
		['a. b', undefined, 'a. b. D.', null],
	])('has what to do in its message: %s', async (message, status, shown, httpCode) => {
		const error: unknown = await withAdvice(context, failing(message, status)).catch(
			(thrown: unknown) => thrown,
		);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ message: shown, httpCode, node: { name: 'Trigger' } });
	});

	test('may have advice of its own, and other errors go on as they are', async () => {
		const own = withAdvice(context, failing('M'), ({ message }) => `own ${message}`);
		await expect(own).rejects.toMatchObject({ message: 'M. own M' });
		const error = new Error('other');
		const other = withAdvice(context, async () => await Promise.reject(error));
		await expect(other).rejects.toBe(error);
	});
});
