import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startN8n, type N8n } from '../../../harness';
import { selfSigned } from '../../../sandbox/certificate';
import {
	response,
	startStandIn,
	tlsRecord,
	type Answering,
	type StandIn,
} from '../../support/raw/standIn';
import { accepted } from '../../support/raw/runs';
import { send } from '../../support/raw/sending';
import { sender } from '../../support/reliability/stage';

const folder = mkdtempSync(path.join(os.tmpdir(), 'broken-tls-'));
let n8n: N8n;
let standIn: StandIn;
let stranger: StandIn;

beforeAll(async () => {
	const file = path.join(folder, 'cert.pem');
	const [trusted, other] = await Promise.all([selfSigned(), selfSigned()]);
	writeFileSync(file, trusted.cert);
	[standIn, stranger] = await Promise.all([startStandIn(trusted), startStandIn(other)]);
	n8n = await startN8n({ env: { NODE_EXTRA_CA_CERTS: file } });
});

afterAll(async () => {
	await n8n?.stop();
	await Promise.all([standIn?.close(), stranger?.close()]);
	rmSync(folder, { recursive: true });
});

test.each<[string, Answering]>([
	['a record of an unknown type', ({ raw }) => raw.write(tlsRecord(99, randomBytes(64)))],
	['a record that cannot be decrypted', ({ raw }) => raw.write(tlsRecord(23, randomBytes(64)))],
	['plain text', ({ raw }) => raw.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
	['an alert', ({ raw }) => raw.write(tlsRecord(21, Buffer.from([2, 80])))],
])('after %s in place of the response nothing is sent again', async (_name, answer) => {
	const { error } = await send(n8n, standIn, answer);
	expect(error?.context?.data).toMatchObject({ outcome: 'unknown' });
	expect(standIn.arrivals).toHaveLength(1);
});

test('a certificate that nobody trusts proves that nothing left', async () => {
	const { error } = await send(n8n, stranger, ({ socket }) => socket.end(response(accepted)));
	expect(error?.context?.data).toMatchObject({ outcome: 'notSent' });
	expect(stranger.arrivals).toEqual([]);
});

test('a service whose certificate is trusted answers', async () => {
	const execution = await send(n8n, standIn, ({ socket }) => socket.end(response(accepted)));
	expect(execution.json(sender)).toEqual([accepted]);
});
