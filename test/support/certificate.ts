import { isIP } from 'node:net';
import { DateTime } from 'luxon';
import { generate } from 'selfsigned';

export interface CertificateOptions {
	/** Host names and addresses that it holds for; those of this computer by default. */
	hosts?: string[];
	/** Days that it is valid from now, 30 by default; a negative number makes it an expired one. */
	days?: number;
}

/** A private key and its certificate as PEM. */
export interface Certificate {
	key: string;
	cert: string;
}

/** A new self-signed certificate with a key on the curve P-256. */
export async function selfSigned({
	hosts = ['localhost', '127.0.0.1'],
	days = 30,
}: CertificateOptions = {}): Promise<Certificate> {
	const now = DateTime.utc();
	const altNames = hosts.map((host) =>
		isIP(host) ? ({ type: 7, ip: host } as const) : ({ type: 2, value: host } as const),
	);
	const { private: key, cert } = await generate(
		[{ name: 'commonName', value: 'Messaging Service Sandbox' }],
		{
			keyType: 'ec',
			algorithm: 'sha256',
			notBeforeDate: now.minus({ days: 60 }).toJSDate(),
			notAfterDate: now.plus({ days }).toJSDate(),
			extensions: [
				{ name: 'basicConstraints', cA: true, critical: true },
				{ name: 'subjectAltName', altNames },
			],
		},
	);
	return { key, cert };
}
