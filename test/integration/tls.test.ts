import '../support/core/shortWaits';
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import tls from 'node:tls';
import { generate } from 'selfsigned';
import { freePort } from '../../harness/ports';
import { accepted, fateOf, template } from '../support/raw/runs';
import {
	response,
	startStandIn,
	tlsRecord,
	useStandIn,
	type Answering,
} from '../support/raw/standIn';

const name = 'service.example';

/** A new self-signed certificate of 127.0.0.1 and of a name. */
const certificate = generate(undefined, {
	algorithm: 'sha256',
	extensions: [
		{ name: 'basicConstraints', cA: true, critical: true },
		{
			name: 'subjectAltName',
			altNames: [
				{ type: 7, ip: '127.0.0.1' },
				{ type: 2, value: name },
			],
		},
	],
}).then(({ private: key, cert }) => ({ key, cert }));
const standIn = useStandIn(certificate);

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
	const { baseUrl, apiKey } = standIn().credential;
	return { baseUrl: baseUrl.replace(part, other), apiKey };
};

test.each([
	['that nobody trusts', 'DEPTH_ZERO_SELF_SIGNED_CERT', '127.0.0.1'],
	['that names another host', 'ERR_TLS_CERT_ALTNAME_INVALID', 'localhost'],
])('a certificate %s proves that nothing left', async (_what, code, host) => {
	if (host === 'localhost') await trust();
	const fate = await fateOf(standIn(), template, { credential: reached('127.0.0.1', host) });
	expect(fate).toMatchObject({ outcome: 'notSent', json: { code } });
	expect(fate.message).toContain(`No secure connection to ${host}`);
	expect(standIn().arrivals).toEqual([]);
});

test('a service whose certificate is trusted answers', async () => {
	await trust();
	standIn().answer = ({ socket }) => socket.end(response(accepted));
	expect(await fateOf(standIn(), template)).toMatchObject({ outcome: 'accepted' });
});

const plainText: Answering = ({ raw }) => raw.write('HTTP/1.1 400 Bad Request\r\n\r\n');

test.each<[string, Answering]>([
	['plain text', plainText],
	['a record that cannot be decrypted', ({ raw }) => raw.write(tlsRecord(23, randomBytes(64)))],
	['an alert', ({ raw }) => raw.write(tlsRecord(21, Buffer.from([2, 80])))],
	['the end of the connection below', ({ raw }) => raw.end()],
])('%s in TLS after the request has left is unknown', async (_name, answer) => {
	await trust();
	standIn().answer = answer;
	const fate = await fateOf(standIn(), template);
	expect(fate.outcome).toBe('unknown');
	expect(fate.description).toContain('Get Many');
	expect(standIn().arrivals).toHaveLength(1);
});

test.each<[string, Answering]>([
	['plain text', plainText],
	['the end of the connection', ({ raw }) => raw.end()],
	['an alert', ({ raw }) => raw.write(tlsRecord(21, Buffer.from([2, 40])))],
])('%s before TLS is agreed on proves that nothing left', async (_name, answer) => {
	// Without TLS: the greeting of the client is all that arrives.
	const plain = await startStandIn();
	plain.answer = answer;
	plain.isComplete = () => true;
	plain.credential.baseUrl = plain.credential.baseUrl.replace('http:', 'https:');
	const fate = await fateOf(plain, template);
	expect(fate.outcome).toBe('notSent');
	expect(fate.message).toContain('No secure connection to 127.0.0.1');
	await plain.close();
});

describe("n8n's proxy", () => {
	afterEach(() => delete process.env.HTTPS_PROXY);

	/** Sends through a proxy that does this about CONNECT. */
	async function fateThrough(answer: Answering) {
		const proxy = await startStandIn();
		proxy.answer = answer;
		process.env.HTTPS_PROXY = new URL(proxy.credential.baseUrl).origin;
		const fate = await fateOf(standIn(), template, { credential: reached('127.0.0.1', name) });
		expect(proxy.arrivals[0]).toMatch(/^CONNECT service\.example:\d+ HTTP/);
		await proxy.close();
		return fate;
	}

	const refusing = (status: string): [string, Answering, string] => [
		status,
		({ socket }) => socket.end(response({ success: true, error: 'No' }, { status })),
		`refused to connect to HOST (status ${parseInt(status)})`,
	];
	const ended = 'Proxy connection ended before receiving CONNECT response';

	test.each<[string, Answering, string]>([
		...['407 No', '403 No', '429 No', '502 No', '503 No', '504 No'].map(refusing),
		[
			'the end of the connection',
			({ socket }) => socket.end(),
			`could not connect to HOST: ${ended}`,
		],
		['a reset', ({ raw }) => raw.resetAndDestroy(), 'could not connect to HOST: read ECONNRESET'],
	])('lets nothing through with %s', async (_name, answer, message) => {
		const fate = await fateThrough(answer);
		const { host } = new URL(reached('127.0.0.1', name).baseUrl);
		expect(fate.message).toBe(`n8n's proxy ${message.replace('HOST', host)}`);
		expect(fate.outcome).toBe('notSent');
		expect(fate.description).toContain(`HTTPS_PROXY, HTTP_PROXY and ALL_PROXY`);
		expect(standIn().arrivals).toEqual([]);
	});

	test.each([
		['127.0.0.1', "n8n's proxy 127.0.0.1:PORT refused the connection or could not be reached"],
		['nobody.invalid', "n8n's proxy nobody.invalid was not found"],
	])('that is not there is named: %s', async (name, message) => {
		const port = await freePort();
		process.env.HTTPS_PROXY = `http://user:secret@${name}:${port}`;
		const expected = { outcome: 'notSent', message: message.replace('PORT', String(port)) };
		expect(await fateOf(standIn(), template)).toMatchObject(expected);
	});

	test.each([
		['all of the answer', 'accepted', Infinity],
		['nothing of the answer', 'unknown', 1],
	])('that lets a request through and %s back', async (_name, outcome, limit) => {
		await trust();
		standIn().answer = ({ socket }) => socket.end(response(accepted));
		const fate = await fateThrough(({ text, raw }) => {
			const [, port] = /:(\d+) /.exec(text) ?? [];
			const service = net.connect(Number(port), '127.0.0.1');
			raw.removeAllListeners('data').write('HTTP/1.1 200 OK\r\n\r\n');
			raw.pipe(service).on('error', () => {});
			service.on('data', (data) => {
				if (standIn().arrivals.length >= limit) raw.destroy();
				else raw.write(data);
			});
		});
		expect(fate.outcome).toBe(outcome);
		expect(standIn().arrivals).toHaveLength(1);
	});
});
