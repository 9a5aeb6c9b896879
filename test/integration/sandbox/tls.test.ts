import { X509Certificate } from 'node:crypto';
import { Agent } from 'node:https';
import axios from 'axios';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox';
import { useReceiver } from './support/useReceiver';

const receiver = useReceiver();
let sandbox: Sandbox | undefined;
afterEach(() => sandbox?.close());

async function start(tls: NonNullable<SandboxOptions['tls']>): Promise<Sandbox> {
	sandbox = await startSandbox({ tls });
	return sandbox;
}

/** Status of a request to the sandbox, or why there was none. */
async function ask({ baseUrl, keys }: Sandbox, ca?: string): Promise<number | string> {
	const config = {
		headers: { 'x-api-key': keys.production },
		httpsAgent: new Agent(ca === undefined ? {} : { ca }),
		proxy: false,
	} as const;
	return await axios.get(`${baseUrl}/balance`, config).then(
		({ status }) => status,
		({ code }: { code: string }) => code,
	);
}

test('serves HTTPS to a caller that trusts its certificate, and to no other', async () => {
	const running = await start(true);
	expect(running.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
	expect(await ask(running, running.certificate ?? '')).toBe(200);
	expect(await ask(running)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
	const local = { ...running, baseUrl: running.baseUrl.replace('127.0.0.1', 'localhost') };
	expect(await ask(local, running.certificate ?? '')).toBe(200);
});

test('can be controlled, and delivers events', async () => {
	const { baseUrl, keys, control, certificate } = await start(true);
	const httpsAgent = new Agent({ ca: certificate ?? '' });
	const headers = { 'x-api-key': keys.production };
	const body = { url: receiver.url };
	await axios.post(`${baseUrl}/chat/webhooks`, body, { headers, httpsAgent, proxy: false });
	expect(await control.emit()).toMatchObject([{ status: 200 }]);
	expect(receiver.received).toHaveLength(1);
});

test('may have an expired certificate', async () => {
	const running = await start({ days: -1 });
	expect(await ask(running, running.certificate ?? '')).toBe('CERT_HAS_EXPIRED');
	expect((await running.control.info()).seed).toBe(1);
});

test('may have a certificate for another host', async () => {
	const running = await start({ hosts: ['service.example', '10.0.0.1'] });
	expect(await ask(running, running.certificate ?? '')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
	const certificate = new X509Certificate(running.certificate ?? '');
	expect(certificate.subjectAltName).toBe('DNS:service.example, IP Address:10.0.0.1');
	expect(certificate.verify(certificate.publicKey)).toBe(true);
});
