import { createRequire } from 'node:module';
import { NodeApiError, UserError, type JsonObject } from 'n8n-workflow';
import { endpoints, type Endpoint } from '../../../nodes/MessagingService/api/endpoints';
import {
	adviceFor,
	connectionLost,
	connectionFailure,
	Failure,
	withAdvice,
} from '../../../nodes/MessagingService/api/failure';
import { judge, withValue } from '../../../nodes/MessagingService/api/response';
import { node } from '../../../harness/builders';

const send = { endpoint: endpoints.sendTemplate };
const read = { endpoint: endpoints.getBalance };

const host = 'host.example:8443';

/** How to find out whether a send was carried out. */
const toLookUp = /look for the message with Chat Message > Get Many/;

/** The parts of a failure that reach the user. */
const factsOf = (failure: unknown) => {
	expect(failure).toBeInstanceOf(Failure);
	const { message, description, outcome, statusCode, facts, neverConnected } = failure as Failure;
	return { message, description, outcome, statusCode, facts, neverConnected };
};

const like = (status: number, what: string) =>
	`The base URL returned an unexpected response (status ${status}): ${what}`;

test('a text of the service adds no log line when a trigger is published', async () => {
	const error = 'No\r\n2026-11-28 ERROR forged\u001b[31m\u2028red\n';
	const failure = judge({ statusCode: 400, headers: {}, body: { error } }, read) as Failure;
	const step = withAdvice({ getNode: () => node('Trigger', 'a.b') }, async () => {
		throw await Promise.resolve(failure);
	});
	const message = 'No 2026-11-28 ERROR forged [31m red. Correct the field that the error names.';
	await expect(step).rejects.toHaveProperty('message', message);
});

describe('a response that is no success', () => {
	const stopped = (status: number, what: string) =>
		`A proxy in front of the service responded (status ${status}): ${what}`;
	const gateway = 'The gateway got no response from the service (status 502)';
	const long = 'y'.repeat(201);
	const redirected = (to: string) => `The base URL redirects to ${to}`;
	const correctUrl = "Check that the credential's base URL is the service's address";
	const noRedirect = 'Redirects are not followed';

	test.each<[object, string, string]>([
		[{ body: '' }, like(200, 'an empty body'), correctUrl],
		[{ body: ' \n<html>' }, like(200, 'a web page'), correctUrl],
		[{ body: ' a\u200b\u0000 \uFFFD\n b ' }, like(200, 'a b'), correctUrl],
		[{ body: long }, like(200, `${long.slice(1)}…`), correctUrl],
		[{ statusCode: 202, body: { id: 1 } }, like(202, '{"id":1}'), correctUrl],
		[{ statusCode: 400, body: { error: ' ' } }, like(400, '{"error":" "}'), correctUrl],
		[{ statusCode: 413 }, stopped(413, 'an empty body'), 'Send less at once'],
		[{ statusCode: 429, body: '<p>' }, stopped(429, 'a web page'), 'Try again later'],
		[{ statusCode: 502, body: { error: 'x' } }, gateway, ''],
		[{ statusCode: 302, headers: { location: long } }, redirected(`${long.slice(1)}…`), noRedirect],
		[{ statusCode: 302 }, redirected('another address'), noRedirect],
	])('%j', (own, message, advice) => {
		const response = { statusCode: 200, headers: {}, body: '', ...own };
		const { statusCode } = response;
		const words = { message, outcome: 'unknown', statusCode, facts: {}, neverConnected: false };
		expect(factsOf(judge(response, read))).toMatchObject(words);
		const ofSend = factsOf(judge(response, send));
		expect(ofSend).toMatchObject({ ...words, description: expect.stringMatching(toLookUp) });
		expect(ofSend.description).toContain(advice);
	});

	test.each([200, 201, 204, 404])('only a deletion succeeds without a body: %i', (status) => {
		const deletion = { endpoint: endpoints.deleteWebhook };
		const response = { statusCode: status, headers: {}, body: null };
		if (status === 404) expect(judge(response, deletion)).toBeInstanceOf(Failure);
		else expect(judge(response, deletion)).toStrictEqual({});
		expect(judge({ ...response, body: 'x' }, deletion)).toBeInstanceOf(Failure);
		expect(judge({ ...response, body: '' }, read)).toBeInstanceOf(Failure);
	});

	test('an empty list can be null', () => {
		const response = { statusCode: 200, headers: {}, body: null };
		expect(judge(response, { endpoint: endpoints.getWebhooks })).toEqual({ records: [] });
	});

	test.each<[Endpoint, boolean | undefined, string, RegExp]>([
		[endpoints.sendText, false, 'rejected', /^Check that the browser session .* contain it\.$/],
		[endpoints.sendText, undefined, 'unknown', /^Check that the browser session .* Get Balance/],
		[endpoints.placeCall, false, 'unknown', /^The documented reason .* voice route.* Get Many/],
		[endpoints.sendEmail, undefined, 'unknown', /^The documented reason .* SMTP.* sent mail/],
		[endpoints.sendTemplate, undefined, 'unknown', /^If this happens again, .* Get Many/],
	])('500 from %j, success %p, is %s in its own words', (endpoint, success, outcome, advice) => {
		const body = { success, error: 'x'.repeat(1_001), screenshot: '/9j/', message: 'M' };
		const failure = factsOf(judge({ statusCode: 500, headers: {}, body }, { endpoint }));
		expect(failure).toMatchObject({
			message: `${'x'.repeat(1_000)}…`,
			description: expect.stringMatching(advice),
			outcome,
			statusCode: 500,
			facts: { screenshot: '/9j/' },
		});
		expect(failure.description.includes('Try Again If Uncertain')).toBe(outcome === 'unknown');
	});
});

test('a response without its promised ID shows its shape, not its values', () => {
	const good = { webhook: { id: 0 } };
	expect(withValue(good, 'webhook.id')).toBe(good);
	for (const id of ['', null, undefined]) {
		const work = () => withValue({ webhook: { id, secret: 'hidden' } }, 'webhook.id');
		expect(work).toThrow(/^The response has no usable webhook\.id: .*"secret":"…"\}\}$/);
	}
});

const secret = { success: 'no', webhook: { signingKey: 'hidden' } };
const noJson = 'a text that is not JSON';

test.each<[unknown, string]>([
	[secret, '{"success":"…","webhook":{"signingKey":"…"}}'],
	['{"webhook":{"secret":"hidden"}} // created', noJson],
	['whsec_hidden', noJson],
])('the secret of a registration is shown in no message: %j', (body, shown) => {
	for (const endpoint of [endpoints.createWebhook, endpoints.getWebhooks]) {
		const { message } = factsOf(judge({ statusCode: 201, headers: {}, body }, { endpoint }));
		expect(message).toBe(like(201, shown));
	}
});

test('a secret in another response is masked, in JSON and in text', () => {
	const body = { success: 'x', clientSecret: 'hidden', a: [{ secret: { of: 'hidden' } }] };
	for (const one of [body, `${JSON.stringify(body)};`, 'secret=hidden', 'Secret: hidden']) {
		const { message } = factsOf(judge({ statusCode: 200, headers: {}, body: one }, read));
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
	const checkDns = 'the DNS of the machine n8n runs on';
	const checkService = 'whether the service is running';
	const checkProxy = "Check the proxy's address and password";
	const checkTls = "n8n rejected the host's certificate or TLS settings";
	const notFound = `The host ${host} was not found`;
	const noConnection = 'refused the connection or could not be reached';
	const unreachable = `${host} ${noConnection}`;
	const insecure = `No secure connection to ${host}: text`;
	const handshake = { request: { socket: { alpnProtocol: null } } };
	const other = { code: 'ECONNREFUSED', syscall: 'connect', address: '10.0.0.9' };
	const noTunnel = `n8n's proxy could not connect to ${host}: text`;
	const proxyName = { code: 'ENOTFOUND', hostname: 'proxy.example' };

	test.each<[object, string, string, boolean]>([
		[{ code: 'ENOTFOUND' }, notFound, checkDns, true],
		[{ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }, notFound, checkDns, true],
		[{ code: 'ECONNREFUSED' }, unreachable, checkService, true],
		[{ syscall: 'connect' }, unreachable, checkService, true],
		[{ ...other, port: 8443 }, unreachable, checkService, true],
		[{ code: 'CERT_HAS_EXPIRED' }, insecure, checkTls, false],
		[{ code: 'EPROTO', ...handshake }, insecure, checkTls, false],
		[{ ...handshake }, insecure, checkTls, false],
		[{ request: { socket: null } }, noTunnel, checkProxy, true],
		[{ ...other, port: 3128 }, `n8n's proxy 10.0.0.9:3128 ${noConnection}`, checkProxy, true],
		[proxyName, "n8n's proxy proxy.example was not found", checkProxy, true],
	])('%j proves that nothing left', (facts, message, advice, neverConnected) => {
		for (const thrown of [
			error(facts),
			wrapped(error(facts)),
			Object.assign(new AggregateError([error(facts)], 'text')),
		]) {
			const failure = factsOf(connectionFailure(thrown, send, host));
			expect(failure).toMatchObject({ message, outcome: 'notSent', neverConnected });
			expect(failure.description).toContain(advice);
		}
	});

	const cut = `The connection to ${host} was lost before the response ended`;
	const late = `${host} did not respond within the timeout`;

	const unread = (code: string) => `Could not read the response from ${host} (${code})`;
	const broken = (code: string) => `The secure connection to ${host} was interrupted (${code})`;

	test.each<[object, string]>([
		[{ code: 'ECONNRESET', syscall: 'read' }, cut],
		[{ code: 7 }, cut],
		[{ request: {} }, cut],
		[{ code: 'ECONNABORTED' }, late],
		[{ code: 'ERR_CANCELED' }, 'The execution was stopped before the response arrived'],
		[{ code: 'Z_DATA_ERROR' }, unread('Z_DATA_ERROR')],
		[{ code: 'ERR__ERROR_FORMAT' }, unread('ERR__ERROR_FORMAT')],
		[{ code: 'HPE_X' }, unread('HPE_X')],
		[{ code: 'EPROTO' }, broken('EPROTO')],
		[{ code: 'ERR_SSL_X' }, broken('ERR_SSL_X')],
	])('%j does not show whether anything was sent', (facts, message) => {
		for (const thrown of [error(facts), wrapped(error(facts))]) {
			for (const fail of [connectionFailure, connectionLost]) {
				const failure = factsOf(fail(thrown, send, host));
				expect(failure).toMatchObject({ message, outcome: 'unknown', neverConnected: false });
				expect(failure.description).toMatch(toLookUp);
			}
			expect(factsOf(connectionFailure(thrown, read, host)).description).not.toMatch(toLookUp);
		}
	});

	test('a request that n8n itself rejects never left', () => {
		for (const thrown of [new UserError('Not allowed'), wrapped(new UserError('Not allowed'))]) {
			expect(factsOf(connectionFailure(thrown, send, host))).toMatchObject({
				message: 'Not allowed',
				description: expect.stringContaining('n8n stopped the request before sending it'),
				outcome: 'notSent',
			});
		}
	});

	test.each(['IP', 'hostname'])("what n8n's own protection blocks by %s never left", (kind) => {
		// With a second copy of n8n-workflow, as npm installs it beside the package.
		jest.isolateModules(() => {
			const core = createRequire(require.resolve('n8n-core'));
			const { SsrfBlockedIpError, SsrfBlockedHostnameError } = core('@n8n/backend-network') as {
				SsrfBlockedIpError: new (ip: string, host: string) => Error;
				SsrfBlockedHostnameError: new (host: string) => Error;
			};
			const blocked =
				kind === 'IP'
					? new SsrfBlockedIpError('10.0.0.1', 'host.example')
					: new SsrfBlockedHostnameError('host.example');
			expect(blocked).not.toBeInstanceOf(UserError);
			for (const thrown of [blocked, wrapped(blocked), wrapped(error({ cause: blocked }))]) {
				expect(factsOf(connectionFailure(thrown, send, host))).toMatchObject({
					message: blocked.message,
					description: expect.stringMatching(/before sending it\. .*ask your n8n administrator/),
					outcome: 'notSent',
				});
			}
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

test('the message of an uncertain send advises to check before resending', () => {
	const unknown = new Failure('It broke.', { outcome: 'unknown', description: 'D' });
	const message = 'It broke. The request may have been sent: check before resending';
	expect(factsOf(unknown.ofSend())).toStrictEqual({ ...factsOf(unknown), message });
	const rejected = new Failure('No', { outcome: 'rejected', description: 'D' });
	expect(rejected.ofSend()).toBe(rejected);
});

const plain: Endpoint = { method: 'GET', path: '/x' };
const paid: Endpoint = { ...plain, scope: 'own:scope', paidFrom: 'voice minutes' };

test.each<[Endpoint, number, string, string]>([
	[paid, 402, 'x', 'Top up the voice minutes of the account'],
	[plain, 403, 'x', 'create a key with the scope that the error names, and'],
	[paid, 403, 'x', 'create a key with the scope own:scope, and'],
	[paid, 403, "needs 'voice:calls-all', please", 'with the scope voice:calls-all, and'],
	[endpoints.deleteWebhook, 404, 'x', 'Check the ID'],
	[endpoints.sendText, 500, 'x', 'browser session'],
	[endpoints.sendBulk, 400, 'x', 'Template Name and Language must be'],
	[endpoints.sendMedia, 400, 'No configId', 'Media Type must'],
	[endpoints.upload, 400, 'x', 'names\\.$'],
	[endpoints.sendEmail, 400, 'x', 'If it names the SMTP server, set that up'],
])('advice for %j, status %i: %s', (endpoint, status, text, advice) => {
	expect(adviceFor({ endpoint }, status, text)).toMatch(new RegExp(advice));
});

test('a step of which n8n shows only the message has the advice in its message', async () => {
	const context = { getNode: () => node('Trigger', 'a.b') };
	const facts = { outcome: 'rejected', description: 'D.', statusCode: 404 } as const;
	const failing = async () => await Promise.reject(new Failure('Gone.', facts));
	const thrown = { message: 'Gone. D.', httpCode: '404', node: { name: 'Trigger' } };
	await expect(withAdvice(context, failing)).rejects.toMatchObject(thrown);
	const own = withAdvice(context, failing, ({ message }) => `own ${message}`);
	await expect(own).rejects.toMatchObject({ message: 'Gone. own Gone.' });
	const other = withAdvice(context, async () => await Promise.reject(new Error('other')));
	await expect(other).rejects.toThrow('other');
});
