import '../support/core/shortWaits';
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import tls from 'node:tls';
import { generate } from 'selfsigned';
import { freePort } from '../../harness/ports';
import {
	accepted,
	response,
	StandIn,
	template,
	tlsRecord,
	useStandIn,
} from '../support/raw/standIn';

type Respond = StandIn['respond'];
const name = 'service.example';

/** A new self-signed certificate of 127.0.0.1 and of a name. */
const altNames = [{ type: 7, ip: '127.0.0.1' } as const, { type: 2, value: name } as const];
const certificate = generate(undefined, {
	algorithm: 'sha256',
	extensions: [
		{ name: 'basicConstraints', cA: true, critical: true },
		{ name: 'subjectAltName', altNames },
	],
}).then(({ private: key, cert }) => ({ key, cert }));
const standIn = useStandIn(certificate);

const noTls = 'No secure connection to 127.0.0.1';

/** Makes this process trust the stand-in, as it trusts the authorities that it knows. */
async function trust(): Promise<void> {
	const { cert } = await certificate;
	const original = tls.createSecureContext;
	jest.spyOn(tls, 'createSecureContext').mockImplementation((options) => {
		const made = original(options);
		(made.context as { addCACert(cert: string): void }).addCACert(cert);
		return made;
	});
}
afterEach(() => jest.restoreAllMocks());

/** The stand-in's credential, with something in its address replaced. */
const reached = (part: string, other: string) => {
	const { baseUrl, apiKey } = standIn.credential;
	return { baseUrl: baseUrl.replace(part, other), apiKey };
};

test.each([
	['that nobody trusts', 'DEPTH_ZERO_SELF_SIGNED_CERT', '127.0.0.1'],
	['that names another host', 'ERR_TLS_CERT_ALTNAME_INVALID', 'localhost'],
])('a certificate %s proves that nothing left', async (_what, code, host) => {
	if (host === 'localhost') await trust();
	const result = await standIn.run(template, { credential: reached('127.0.0.1', host) });
	expect(result).toMatchObject({ outcome: 'notSent', json: { code } });
	expect(result.message).toContain(`No secure connection to ${host}`);
	expect(standIn.arrivals).toEqual([]);
});

test('a send to a service with a trusted certificate is accepted', async () => {
	await trust();
	standIn.respond = ({ socket }) => socket.end(response(accepted));
	expect(await standIn.run()).toMatchObject({ outcome: 'accepted' });
});

const plainText: Respond = ({ raw }) => raw.write('HTTP/1.1 400 Bad Request\r\n\r\n');

test.each<[string, Respond]>([
	['plain text', plainText],
	['a record that cannot be decrypted', ({ raw }) => raw.write(tlsRecord(23, randomBytes(64)))],
	['an alert', ({ raw }) => raw.write(tlsRecord(21, Buffer.from([2, 80])))],
	['the end of the connection below', ({ raw }) => raw.end()],
])('%s in TLS after the request has left is unknown', async (_name, respond) => {
	await trust();
	standIn.respond = respond;
	const result = await standIn.run();
	expect(result.outcome).toBe('unknown');
	expect(result.description).toContain('Get Many');
	expect(standIn.arrivals).toHaveLength(1);
});

test.each<[string, Respond]>([
	['plain text', plainText],
	['the end of the connection', ({ raw }) => raw.end()],
	['an alert', ({ raw }) => raw.write(tlsRecord(21, Buffer.from([2, 40])))],
])('%s before TLS is agreed on proves that nothing left', async (_name, respond) => {
	// Without TLS: only the greeting of the client arrives.
	const plain = await new StandIn().start();
	plain.respond = respond;
	plain.isComplete = () => true;
	plain.credential.baseUrl = plain.credential.baseUrl.replace('http:', 'https:');
	const { outcome, message } = await plain.run();
	expect([outcome, message]).toEqual(['notSent', expect.stringContaining(noTls)]);
	await plain.close();
});

describe("n8n's proxy", () => {
	beforeAll(() => {
		// `npm test` keeps proxies away from this machine.
		for (const name of ['NO_PROXY', 'no_proxy']) delete process.env[name];
	});
	afterEach(() => delete process.env.HTTPS_PROXY);

	/** Sends through a proxy that responds so to CONNECT. */
	async function runThrough(respond: Respond) {
		const proxy = await new StandIn().start();
		proxy.respond = respond;
		process.env.HTTPS_PROXY = new URL(proxy.credential.baseUrl).origin;
		const result = await standIn.run(template, { credential: reached('127.0.0.1', name) });
		expect(proxy.arrivals[0]).toMatch(/^CONNECT service\.example:\d+ HTTP/);
		await proxy.close();
		return result;
	}

	const rejecting = (status: string): [string, Respond, string] => [
		status,
		({ socket }) => socket.end(response({ success: true, error: 'No' }, { status })),
		`refused to connect to HOST (status ${parseInt(status)})`,
	];
	const ended = 'Proxy connection ended before receiving CONNECT response';

	test.each<[string, Respond, string]>([
		...['407 No', '403 No', '429 No', '502 No', '503 No', '504 No'].map(rejecting),
		[
			'the end of the connection',
			({ socket }) => socket.end(),
			`could not connect to HOST: ${ended}`,
		],
		['a reset', ({ raw }) => raw.resetAndDestroy(), 'could not connect to HOST: read ECONNRESET'],
	])('lets nothing through with %s', async (_name, respond, message) => {
		const result = await runThrough(respond);
		const { host } = new URL(reached('127.0.0.1', name).baseUrl);
		expect(result.message).toBe(`n8n's proxy ${message.replace('HOST', host)}`);
		expect(result.outcome).toBe('notSent');
		expect(result.description).toContain(`HTTPS_PROXY, HTTP_PROXY and ALL_PROXY`);
		expect(standIn.arrivals).toEqual([]);
	});

	test.each([
		['127.0.0.1', "n8n's proxy 127.0.0.1:PORT refused the connection or could not be reached"],
		['nobody.invalid', "n8n's proxy nobody.invalid was not found"],
	])('that is not there is named: %s', async (name, message) => {
		const port = await freePort();
		process.env.HTTPS_PROXY = `http://user:secret@${name}:${port}`;
		const expected = { outcome: 'notSent', message: message.replace('PORT', String(port)) };
		expect(await standIn.run()).toMatchObject(expected);
	});

	test.each([
		['all of the response', 'accepted', Infinity],
		['nothing of the response', 'unknown', 1],
	])('that lets a request through and %s back', async (_name, outcome, limit) => {
		await trust();
		standIn.respond = ({ socket }) => socket.end(response(accepted));
		const result = await runThrough(({ text, raw }) => {
			const [, port] = /:(\d+) /.exec(text) ?? [];
			const service = net.connect(Number(port), '127.0.0.1');
			raw.removeAllListeners('data').write('HTTP/1.1 200 OK\r\n\r\n');
			raw.pipe(service).on('error', () => {});
			service.on('data', (data) => {
				if (standIn.arrivals.length >= limit) raw.destroy();
				else raw.write(data);
			});
		});
		expect(result.outcome).toBe(outcome);
		expect(standIn.arrivals).toHaveLength(1);
	});
});
