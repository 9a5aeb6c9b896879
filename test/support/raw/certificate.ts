import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Key and certificate of a server on this machine. */
export interface Certificate {
	key: string;
	cert: string;
}

/** Makes a certificate for 127.0.0.1 that nobody but its owner has signed. */
export function selfSigned(): Certificate {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'certificate-'));
	const key = path.join(folder, 'key.pem');
	const cert = path.join(folder, 'cert.pem');
	const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
	const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
	try {
		execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert], {
			stdio: 'pipe',
		});
		return { key: fs.readFileSync(key, 'utf8'), cert: fs.readFileSync(cert, 'utf8') };
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
}

/** A record of TLS 1.2 and later. */
export const tlsRecord = (type: number, bytes: Buffer): Buffer =>
	Buffer.concat([Buffer.from([type, 3, 3, bytes.length >> 8, bytes.length & 255]), bytes]);
