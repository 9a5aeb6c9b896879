import { NodeApiError, UserError, type JsonObject } from 'n8n-workflow';
import { endpoints, type Endpoint } from '../../../nodes/MessagingService/api/endpoints';
import {
	adviceFor,
	brokenOff,
	connectionFailure,
	Failure,
	withAdvice,
} from '../../../nodes/MessagingService/api/failure';
import { judge, withId } from '../../../nodes/MessagingService/api/response';
import { node } from '../../../harness/builders';

/** The words of failures, whole: they are all that a user sees of what happened. */
const send = { endpoint: endpoints.sendTemplate };
const read = { endpoint: endpoints.getBalance };

const host = 'host.example:8443';

const toLookUp =
	'Before you send it again, look for it with Chat Message > Get Many, or compare Account > Get Balance with its earlier value. A record may take a while to appear. To resend it in a failed execution, add Try Again If Uncertain, save, and choose Retry with currently saved workflow.';
const toTry = 'Check that the service can be reached, then try again.';
const tls =
	'Check that the base URL names the right host, and starts with https:// only if the host supports TLS. n8n does not accept its certificate or TLS settings.';
const correctUrl =
	'Check that the base URL of the credential is the service root with its version segment, e.g. https://host.example/api/v1.';
const noRedirect =
	'Correct the base URL of the credential. Redirects are not followed, because they could send the API key elsewhere.';
const tooLarge =
	'Send less at once: a smaller file, fewer recipients or a shorter text. The service or a proxy in front of it rejected the request as too large.';
const limited =
	'Wait a while. If the operation has the option Throttling, set it to fewer requests at once. The limit comes from a proxy in front of the service, which has none itself.';

/** What of a failure reaches the user. */
const told = (failure: unknown) => {
	expect(failure).toBeInstanceOf(Failure);
	const { message, description, outcome, statusCode, facts, neverConnected } = failure as Failure;
	return { message, description, outcome, statusCode, facts, neverConnected };
};

const thrownBy = (work: () => unknown): unknown => {
	try {
		return work();
	} catch (error) {
		return error;
	}
};

const like = (status: number, what: string) =>
	`The base URL does not respond like the service (status ${status}): ${what}`;

describe('a response that is not the one of a success', () => {
	const stopped = (status: number, what: string) =>
		`A proxy in front of the service responded instead (status ${status}): ${what}`;
	const gateway = (status: number) => `The gateway could not reach the service (status ${status})`;
	const long = 'y'.repeat(201);
	const noError = { error: ' ', message: 'M' };

	const redirected = (to: string) => `The base URL redirects to ${to}`;

	test.each<[object, string, string, string?]>([
		[{ body: '' }, like(200, 'an empty body'), correctUrl],
		[{ body: ' \n<html>' }, like(200, 'a web page'), correctUrl],
		[{ body: 'no <html>' }, like(200, 'no <html>'), correctUrl],
		[{ body: ' a\u200b\u0000 \uFFFD\n b ' }, like(200, 'a b'), correctUrl],
		[{ body: long.slice(1) }, like(200, long.slice(1)), correctUrl],
		[{ body: long }, like(200, `${long.slice(1)}…`), correctUrl],
		[{ statusCode: 202, body: { id: 1 } }, like(202, '{"id":1}'), correctUrl],
		[{ statusCode: 400, body: noError }, like(400, JSON.stringify(noError)), correctUrl],
		[{ statusCode: 413 }, stopped(413, 'an empty body'), tooLarge],
		[{ statusCode: 429, body: '<p>' }, stopped(429, 'a web page'), limited],
		[{ statusCode: 500, body: ['<p>'] }, like(500, '["<p>"]'), correctUrl],
		[{ statusCode: 502, body: { error: 'x' } }, gateway(502), toTry, toLookUp],
		[{ statusCode: 503, body: { error: 'x' } }, gateway(503), toTry, toLookUp],
		[{ statusCode: 504, body: { error: 'x' } }, gateway(504), toTry, toLookUp],
		[
			{ statusCode: 300, headers: { location: 'https://o.example/x' } },
			redirected('https://o.example/x'),
			noRedirect,
		],
		[{ statusCode: 302, headers: { location: long } }, redirected(`${long.slice(1)}…`), noRedirect],
		[{ statusCode: 302, headers: { location: '' } }, redirected('another address'), noRedirect],
		[{ statusCode: 302 }, redirected('another address'), noRedirect],
		[{ statusCode: 399, headers: { location: 7 } }, redirected('another address'), noRedirect],
	])('%j', (own, message, description, careful = `${description} ${toLookUp}`) => {
		const response = { statusCode: 200, headers: {}, body: '', ...own };
		const { statusCode } = response;
		const words = { message, outcome: 'unknown', statusCode, facts: {}, neverConnected: false };
		expect(told(judge(response, read))).toStrictEqual({ ...words, description });
		expect(told(judge(response, send))).toStrictEqual({ ...words, description: careful });
	});

	test('an empty body is a success of a deletion alone', () => {
		const deletion = { endpoint: endpoints.deleteWebhook };
		for (const statusCode of [200, 201, 204]) {
			const response = { statusCode, headers: {}, body: null };
			expect(judge(response, deletion)).toStrictEqual({});
			expect(judge({ ...response, body: 'x' }, deletion)).toBeInstanceOf(Failure);
			expect(judge(response, read)).toBeInstanceOf(Failure);
		}
		const response = { statusCode: 404, headers: {}, body: '' };
		expect(judge(response, deletion)).toBeInstanceOf(Failure);
	});

	test("the service's own error keeps its text and its screenshot", () => {
		const description =
			'Check on the dashboard that credentials are configured for the voice route of this call, or choose another voice route.';
		const call = { endpoint: endpoints.placeCall, body: {} };
		const error = 'x'.repeat(1_001);
		const body = { error, screenshot: '/9j/', message: 'M' };
		expect(told(judge({ statusCode: 500, headers: {}, body }, call))).toStrictEqual({
			message: `${error.slice(1)}…`,
			description,
			outcome: 'rejected',
			statusCode: 500,
			facts: { screenshot: '/9j/' },
			neverConnected: false,
		});
		const short = { error: error.slice(1) };
		expect(told(judge({ statusCode: 500, headers: {}, body: short }, call))).toMatchObject({
			message: short.error,
			facts: {},
		});
	});
});

describe('a success without the promised id', () => {
	const path = 'webhook.id';

	test.each([0, 7, 'w1'])('%j is one', (id) => {
		const response = { webhook: { id } };
		expect(withId(response, path)).toBe(response);
	});

	test.each([
		[{ webhook: { id: '' } }, '{"webhook":{"id":"…"}}'],
		[{ webhook: { id: null, secret: 'hidden' } }, '{"webhook":{"id":"…","secret":"…"}}'],
		[{ id: 'w1', data: ['hidden'] }, '{"id":"…","data":["…"]}'],
	])('%j has none', (response, shown) => {
		expect(told(thrownBy(() => withId(response, path)))).toMatchObject({
			message: `The service responded without webhook.id: ${shown}`,
			outcome: 'unknown',
			statusCode: 200,
		});
	});
});

test.each<[unknown, string]>([
	[
		{ success: 'no', webhook: { signingKey: 'hidden' } },
		'{"success":"…","webhook":{"signingKey":"…"}}',
	],
	['{"webhook":{"secret":"hidden"}} // created', 'a text that is not JSON'],
	['whsec_hidden', 'a text that is not JSON'],
])('the secret of a registration is shown in no message: %j', (body, shown) => {
	for (const endpoint of [endpoints.createWebhook, endpoints.getWebhooks]) {
		const { message } = told(judge({ statusCode: 201, headers: {}, body }, { endpoint }));
		expect(message).toBe(like(201, shown));
	}
});

test('a secret in another response is masked, in JSON and in text', () => {
	const body = { success: 'x', clientSecret: 'hidden', a: [{ secret: { of: 'hidden' } }] };
	for (const one of [body, `${JSON.stringify(body)};`, 'secret=hidden', 'Secret: hidden']) {
		const { message } = told(judge({ statusCode: 200, headers: {}, body: one }, read));
		expect(message).toContain('ecret');
		expect(message).not.toMatch(/hidden(?!"\}\}\])/);
	}
});

describe('a connection that failed', () => {
	const error = (facts: object, message = 'text') => Object.assign(new Error(message), facts);
	const wrapped = (cause: Error) =>
		Object.assign(
			new NodeApiError(node('Send', 'a.b'), new Error('wrapper') as unknown as JsonObject),
			{ cause },
		);
	const checkDns = 'Check the base URL of the credential and the DNS of the machine n8n runs on.';
	const checkService = 'Check the base URL of the credential and whether the service is running.';
	const notFound = `The host ${host} was not found`;
	const refused = `${host} refused the connection or could not be reached`;
	const checkProxy = `Check the proxy's address and password in n8n's environment variables HTTPS_PROXY, HTTP_PROXY and ALL_PROXY, and that it allows ${host}. To connect without the proxy, add this host to NO_PROXY.`;
	const handshake = { request: { socket: { alpnProtocol: null } } };

	test.each<[object, string, string, boolean]>([
		[{ code: 'ENOTFOUND' }, notFound, checkDns, true],
		[{ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }, notFound, checkDns, true],
		[{ code: 'ECONNREFUSED' }, refused, checkService, true],
		[{ code: 'ENETUNREACH', syscall: 'connect' }, refused, checkService, true],
		[{ syscall: 'connect' }, refused, checkService, true],
		[{ code: 'CERT_HAS_EXPIRED' }, `No secure connection to ${host}: text`, tls, false],
		[
			{ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
			`No secure connection to ${host}: text`,
			tls,
			false,
		],
		[{ code: 'EPROTO', ...handshake }, `No secure connection to ${host}: text`, tls, false],
		[{ ...handshake }, `No secure connection to ${host}: text`, tls, false],
		[
			{ request: { socket: null } },
			`n8n's proxy could not connect to ${host}: text`,
			checkProxy,
			true,
		],
		[
			{ code: 'ECONNREFUSED', syscall: 'connect', address: '10.0.0.9', port: 8443 },
			refused,
			checkService,
			true,
		],
		[
			{ code: 'ECONNREFUSED', syscall: 'connect', address: '10.0.0.9', port: 3128 },
			"n8n's proxy 10.0.0.9:3128 refused the connection or could not be reached",
			checkProxy,
			true,
		],
		[
			{ code: 'ENOTFOUND', hostname: 'proxy.example' },
			"n8n's proxy proxy.example was not found",
			checkProxy,
			true,
		],
		[{ code: 'ENOTFOUND', hostname: 'host.example' }, notFound, checkDns, true],
	])('%j proves that nothing left', (facts, message, description, neverConnected) => {
		const code = 'code' in facts ? { code: facts.code } : {};
		const words = { message, description, outcome: 'notSent', statusCode: null };
		const expected = { ...words, facts: code, neverConnected };
		for (const thrown of [
			error(facts),
			wrapped(error(facts)),
			Object.assign(new AggregateError([error(facts)], 'text')),
		]) {
			expect(told(connectionFailure(thrown, send, host))).toStrictEqual(expected);
		}
	});

	const cut = `The connection to ${host} was lost before the response was complete`;
	const unreadable = (code: string) => `The response of ${host} could not be read (${code})`;
	const late = `${host} did not respond within the timeout`;

	test.each<[object, string, string?]>([
		[{ code: 'ECONNRESET', syscall: 'read' }, cut],
		[{ code: 'EPIPE' }, cut],
		[{ code: 7 }, cut],
		[{}, cut],
		[{ request: {} }, cut],
		[{ code: 'ECONNABORTED' }, late],
		[{ code: 'ETIMEDOUT' }, late],
		[{ code: 'ERR_CANCELED' }, 'The execution was stopped before the response arrived'],
		[{ code: 'Z_DATA_ERROR' }, unreadable('Z_DATA_ERROR')],
		[{ code: 'ERR__ERROR_FORMAT' }, unreadable('ERR__ERROR_FORMAT')],
		[{ code: 'HPE_INVALID_CONSTANT' }, unreadable('HPE_INVALID_CONSTANT')],
		[{ code: 'EPROTO' }, `The secure connection to ${host} was interrupted (EPROTO)`, `${tls} `],
		[
			{ code: 'ERR_SSL_X' },
			`The secure connection to ${host} was interrupted (ERR_SSL_X)`,
			`${tls} `,
		],
	])('%j tells nothing of what was sent', (facts, message, before = '') => {
		const { code } = facts as { code?: unknown };
		const words = { message, outcome: 'unknown', statusCode: null, neverConnected: false };
		const expected = { ...words, facts: typeof code === 'string' ? { code } : {} };
		for (const thrown of [error(facts), wrapped(error(facts))]) {
			for (const fail of [connectionFailure, brokenOff]) {
				expect(told(fail(thrown, send, host))).toStrictEqual({
					...expected,
					description: `${before}${toLookUp}`,
				});
			}
			const ofRead = before === '' ? toTry : tls;
			expect(told(connectionFailure(thrown, read, host)).description).toBe(ofRead);
		}
	});

	test('what n8n refuses by itself never left', () => {
		const description =
			'Check the credential and its base URL. n8n stopped the request before sending it.';
		const words = { description, outcome: 'notSent', statusCode: null, neverConnected: false };
		expect(told(connectionFailure(new UserError('Not allowed'), send, host))).toStrictEqual({
			...words,
			message: 'Not allowed',
			facts: {},
		});
		const silent = Object.assign(new UserError(''), { code: 'X' });
		expect(told(connectionFailure(wrapped(silent), send, host))).toStrictEqual({
			...words,
			message: 'The request could not be made',
			facts: { code: 'X' },
		});
	});

	test('the innermost cause is named, and a circle of causes ends', () => {
		const outer = error({ code: '' }, 'outer');
		const inner = error({ code: 'CERT_REVOKED', cause: outer }, 'inner');
		Object.assign(outer, { cause: inner });
		expect(connectionFailure(outer, send, host)).toMatchObject({
			message: `No secure connection to ${host}: inner`,
			facts: { code: 'CERT_REVOKED' },
		});
	});
});

describe('a failure of a send', () => {
	const unknown = new Failure('It broke.', {
		outcome: 'unknown',
		description: 'D',
		statusCode: 503,
	});

	test('asks for care in its message if nobody knows what became of it', () => {
		expect(told(unknown.ofSend())).toStrictEqual({
			...told(unknown),
			message: 'It broke. It may have been sent, so check before you send it again',
		});
		const rejected = new Failure('No', { outcome: 'rejected', description: 'D' });
		expect(rejected.ofSend()).toBe(rejected);
	});
});

describe('advice by status', () => {
	const plain: Endpoint = { method: 'GET', path: '/x' };
	const paid: Endpoint = { ...plain, scope: 'own:scope', paidFrom: 'voice minutes' };

	test.each<[Endpoint, number, string, string]>([
		[plain, 402, 'x', 'Top up the credits of the account'],
		[paid, 402, 'x', 'Top up the voice minutes of the account'],
		[plain, 403, 'x', 'Add the scope that the message names to'],
		[paid, 403, 'x', 'Add the scope own:scope to'],
		[paid, 403, "needs 'voice:calls-all', please", 'Add the scope voice:calls-all to'],
		[plain, 401, 'x', 'Settings > API Keys'],
		[endpoints.deleteWebhook, 404, 'x', 'Check the ID'],
		[endpoints.sendText, 500, 'x', 'browser session'],
		[endpoints.sendBulk, 400, 'x', 'Template Name must be'],
		[endpoints.sendEmail, 400, 'x', 'If it names the SMTP server, set that up'],
	])('%j: status %i, %s', (endpoint, status, text, advice) => {
		expect(adviceFor({ endpoint }, status, text)).toContain(advice);
	});
});

test('a step of which n8n shows the message alone has what to do in its message', async () => {
	const context = { getNode: () => node('Trigger', 'a.b') };
	const facts = { outcome: 'rejected', description: 'D.', statusCode: 404 } as const;
	const failing = async () => await Promise.reject(new Failure('Gone.', facts));
	const told = { message: 'Gone. D.', httpCode: '404', node: { name: 'Trigger' } };
	await expect(withAdvice(context, failing)).rejects.toMatchObject(told);
	const own = withAdvice(context, failing, ({ message }) => `own ${message}`);
	await expect(own).rejects.toMatchObject({ message: 'Gone. own Gone.' });
	const other = withAdvice(context, async () => await Promise.reject(new Error('other')));
	await expect(other).rejects.toThrow('other');
});
