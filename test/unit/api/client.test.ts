import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { connect, type ApiContext } from '../../../nodes/MessagingService/api/client';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { Failure, InputFailure, failureOr } from '../../../nodes/MessagingService/api/failure';

jest.mock('n8n-workflow', () => {
	const actual = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
	// The pause before a request is made again is over at once.
	const sleep = async (pause: number, signal?: AbortSignal) =>
		await actual.sleep(pause === 500 ? 0 : pause, signal);
	return { ...actual, sleep };
});

const key = 'msk_0123456789';
const credentials = { baseUrl: ' https://host.example/api/v1/ ', apiKey: key };
const read = { endpoint: endpoints.getBalance };
const send = { endpoint: endpoints.sendText, body: { phone: '1' } };

/** What n8n's helper was given. */
interface Given {
	signal: AbortSignal | undefined;
	type: string;
	options: IHttpRequestOptions;
	more: IDataObject;
}

/**
 * A context, and what has been asked of it.
 *
 * @param answer what comes of a request: JSON, a status with it, or an error
 * @param others members of the context
 */
function contextOf(answer: (given: Given) => unknown = () => ({}), others: object = {}) {
	const given: Given[] = [];
	const asked: string[] = [];
	const context = {
		getCredentials: async (type: string) => {
			asked.push(type);
			return await Promise.resolve(credentials);
		},
		helpers: {
			async httpRequestWithAuthentication(
				this: { getExecutionCancelSignal(): AbortSignal | undefined },
				type: string,
				options: IHttpRequestOptions,
				more: IDataObject,
			) {
				const one = { signal: this.getExecutionCancelSignal(), type, options, more };
				given.push(one);
				const body = await answer(one);
				if (body instanceof Error) throw body;
				const statusCode = (body as IDataObject).error === undefined ? 200 : 400;
				return { statusCode, headers: {}, body };
			},
		},
		...others,
	} as unknown as ApiContext;
	return { context, given, asked };
}

const codeOf = (code: string) => Object.assign(new Error(code), { code });

describe('a connection', () => {
	test('reads the credential once, for whatever number of requests', async () => {
		const { context, asked, given } = contextOf(() => ({ ok: 1 }));
		const call = await connect(context);
		expect(call.baseUrl).toBe('https://host.example/api/v1');
		expect(await Promise.all([call(read), call(send)])).toEqual([{ ok: 1 }, { ok: 1 }]);
		expect(asked).toEqual(['messagingServiceApi']);
		for (const { type, more } of given) {
			expect(type).toBe('messagingServiceApi');
			expect(more).toEqual({
				credentialsDecrypted: { id: '', name: '', type, data: credentials },
			});
		}
		expect(given.map(({ options }) => [options.url, options.timeout])).toEqual([
			['https://host.example/api/v1/balance', 60_000],
			['https://host.example/api/v1/chat/send', 60_000],
		]);
	});

	test.each([
		['baseUrl', 'host', 'The base URL of the credential'],
		['apiKey', '\u{1F511}', 'The API key of the credential'],
	])('is not made with a wrong %s', async (name, value, text) => {
		const getCredentials = async () => await Promise.resolve({ ...credentials, [name]: value });
		const failure = await failureOr(connect(contextOf(undefined, { getCredentials }).context));
		expect(failure).toBeInstanceOf(InputFailure);
		expect(failure).toMatchObject({ message: expect.stringContaining(text) });
	});
});

describe('a request', () => {
	const failureOf = async (
		answer: () => unknown,
		options = {},
		request: typeof send | typeof read = read,
	) => {
		const { context, given } = contextOf(answer);
		const failure = await failureOr((await connect(context))(request, options));
		return { failure, given };
	};

	test('takes the time that it is given', async () => {
		const { given } = await failureOf(() => ({}), { timeout: 1_234 });
		expect(given[0]?.options.timeout).toBe(1_234);
	});

	test('that fails is a failure, without the key', async () => {
		const { failure } = await failureOf(() => ({ error: `Bearer ${key} is wrong` }));
		expect(failure).toBeInstanceOf(Failure);
		expect(failure).toMatchObject({
			message: 'Bearer [API key] is wrong',
			outcome: 'rejected',
			statusCode: 400,
		});
	});

	test('that only reads is made again, unless it is to be made once', async () => {
		let failures = 1;
		const answer = () => (failures-- > 0 ? codeOf('ECONNRESET') : { ok: 1 });
		const { failure, given } = await failureOf(answer);
		expect(failure).toEqual({ ok: 1 });
		expect(given).toHaveLength(2);
		failures = 1;
		const { failure: lost, given: once } = await failureOf(answer, { once: true });
		expect(lost).toMatchObject({ outcome: 'unknown' });
		expect(once).toHaveLength(1);
		failures = 1;
		const { given: sent } = await failureOf(answer, {}, send);
		expect(sent).toHaveLength(1);
	});

	test('has a large screenshot in a file', async () => {
		const error = { error: 'No', screenshot: `data:image/png;base64,${'A'.repeat(3_000)}` };
		const { context } = contextOf(() => error, { continueOnFail: () => true });
		const prepareBinaryData = async () =>
			await Promise.resolve({ data: '', mimeType: 'image/png', id: 'filesystem:1' });
		Object.assign(context.helpers, { prepareBinaryData });
		const failure = await failureOr((await connect(context))(send));
		expect(failure).toMatchObject({ facts: { screenshot: 'screenshot' } });
	});
});

describe('a stopped execution', () => {
	const stopped = 'The execution was stopped before the answer came';

	/** Stops the execution while a request is under way, and answers it afterwards. */
	async function stopping(request: typeof send | typeof read) {
		const execution = new AbortController();
		const getExecutionCancelSignal = () => execution.signal;
		const answer = async () => {
			execution.abort();
			await new Promise(setImmediate);
			return { ok: 1 };
		};
		const { context, given } = contextOf(answer, { getExecutionCancelSignal });
		const result = await failureOr((await connect(context))(request));
		expect(context).toMatchObject({ getExecutionCancelSignal });
		return { result, given: given[0], execution };
	}

	test('ends a read', async () => {
		const { result, given, execution } = await stopping(read);
		expect(result).toMatchObject({ message: stopped });
		expect(given?.signal).toBe(given?.options.abortSignal);
		expect(given?.signal).not.toBe(execution.signal);
		expect(given?.signal?.aborted).toBe(true);
	});

	test('does not end a send that is under way', async () => {
		const { result, given } = await stopping(send);
		expect(result).toEqual({ ok: 1 });
		expect(given?.signal?.aborted).toBe(false);
	});
});
