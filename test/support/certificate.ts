import { DateTime } from 'luxon';
import { generate } from 'selfsigned';

/** A private key and its certificate as PEM. */
export interface Certificate {
	key: string;
	cert: string;
}

/** A new self-signed certificate of 127.0.0.1, with a key on the curve P-256. */
export async function selfSigned(): Promise<Certificate> {
	const now = DateTime.utc();
	const { private: key, cert } = await generate(
		[{ name: 'commonName', value: 'Messaging Service Sandbox' }],
		{
			keyType: 'ec',
			algorithm: 'sha256',
			notBeforeDate: now.minus({ days: 60 }).toJSDate(),
			notAfterDate: now.plus({ days: 30 }).toJSDate(),
			extensions: [
				{ name: 'basicConstraints', cA: true, critical: true },
				{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
			],
		},
	);
	return { key, cert };
}
