import { randomBytes } from 'node:crypto';
import tls from 'node:tls';
import { generate } from 'selfsigned';
import { accepted, fateOf, template } from '../support/raw/runs';
import {
	response,
	startStandIn,
	tlsRecord,
	useStandIn,
	type Arrival,
	type Certificate,
} from '../support/raw/standIn';

/** A new self-signed certificate of 127.0.0.1. */
async function selfSigned(): Promise<Certificate> {
	const { private: key, cert } = await generate(undefined, {
		algorithm: 'sha256',
		extensions: [
			{ name: 'basicConstraints', cA: true, critical: true },
			{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
		],
	});
	return { key, cert };
}

const made = selfSigned();
const standIn = useStandIn(made);
let certificate: Certificate;
beforeAll(async () => (certificate = await made));

/** Makes this process trust the stand-in, as it trusts the authorities that it knows. */
function trust(): void {
	const original = tls.createSecureContext;
	jest.spyOn(tls, 'createSecureContext').mockImplementation((options) => {
		const made = original(options);
		(made.context as { addCACert(cert: string): void }).addCACert(certificate.cert);
		return made;
	});
}
afterEach(() => {
	jest.restoreAllMocks();
});

describe('a certificate that nobody trusts', () => {
	test('proves that nothing left', async () => {
		const fate = await fateOf(standIn(), template);
		expect(fate).toMatchObject({
			outcome: 'notSent',
			json: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
		});
		expect(fate.message).toContain('No secure connection to 127.0.0.1');
		expect(standIn().arrivals).toEqual([]);
	});

	test('or that names another host', async () => {
		trust();
		const { baseUrl, apiKey } = standIn().credential;
		const credential = { baseUrl: baseUrl.replace('127.0.0.1', 'localhost'), apiKey };
		const fate = await fateOf(standIn(), template, { credential });
		expect(fate).toMatchObject({
			outcome: 'notSent',
			json: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
		});
		expect(standIn().arrivals).toEqual([]);
	});
});

test('a service whose certificate is trusted answers', async () => {
	trust();
	standIn().answer = ({ socket }) => socket.end(response(accepted));
	expect(await fateOf(standIn(), template)).toMatchObject({ outcome: 'accepted' });
});

describe('what breaks in TLS after the request has left is unknown', () => {
	test.each<[string, (arrival: Arrival) => unknown]>([
		['plain text', ({ raw }) => raw.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
		['a record that cannot be decrypted', ({ raw }) => raw.write(tlsRecord(23, randomBytes(64)))],
		['an alert', ({ raw }) => raw.write(tlsRecord(21, Buffer.from([2, 80])))],
		['the end of the connection below', ({ raw }) => raw.end()],
		[
			'half an answer, then plain text',
			({ socket, raw }) =>
				socket.write(response(accepted).subarray(0, 80), () => raw.write(randomBytes(100))),
		],
	])('%s', async (_name, answer) => {
		trust();
		standIn().answer = answer;
		const fate = await fateOf(standIn(), template);
		expect(fate.outcome).toBe('unknown');
		expect(fate.description).toContain('Get Many');
		expect(standIn().arrivals).toHaveLength(1);
	});
});

describe('what breaks before TLS is agreed on proves that nothing left', () => {
	test.each<[string, (arrival: Arrival) => unknown]>([
		['plain text', ({ raw }) => raw.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
		['the end of the connection', ({ raw }) => raw.end()],
		['an alert', ({ raw }) => raw.write(tlsRecord(21, Buffer.from([2, 40])))],
	])('%s', async (_name, answer) => {
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
});

test('an unencrypted request to a service with TLS is not taken for a send', async () => {
	const { baseUrl, apiKey } = standIn().credential;
	const credential = { baseUrl: baseUrl.replace('https:', 'http:'), apiKey };
	const fate = await fateOf(standIn(), template, { credential });
	expect(fate.outcome).toBe('unknown');
	expect(standIn().arrivals).toEqual([]);
});
