import { generateKeyPairSync, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { DateTime } from 'luxon';

export interface CertificateOptions {
	/** Host names and IPv4 addresses that it holds for; those of this computer by default. */
	hosts?: string[];
	/** Days that it is valid from now, 30 by default; a negative number makes it an expired one. */
	days?: number;
}

/** A private key and its certificate as PEM. */
export interface Certificate {
	key: string;
	cert: string;
}

/** One value of ASN.1 in its distinguished encoding: tag, length, content. */
function der(tag: number, ...content: Buffer[]): Buffer {
	const body = Buffer.concat(content);
	const length = Buffer.alloc(2);
	length.writeUInt16BE(body.length);
	const head = body.length < 128 ? [tag, body.length] : [tag, 0x82, ...length];
	return Buffer.concat([Buffer.from(head), body]);
}

const sequence = (...content: Buffer[]) => der(0x30, ...content);
const text = (tag: number, value: string) => der(tag, Buffer.from(value));
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));

const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const commonName = objectId('550403');
const subjectAltName = objectId('551d11');
const basicConstraints = objectId('551d13');
const derTrue = der(0x01, Buffer.from([0xff]));

function alternative(host: string): Buffer {
	const address = Buffer.from(host.split('.').map(Number));
	return isIP(host) === 4 ? der(0x87, address) : text(0x82, host);
}

/** A new self-signed certificate (RFC 5280) with a key on the curve P-256. */
export function selfSigned({
	hosts = ['localhost', '127.0.0.1'],
	days = 30,
}: CertificateOptions = {}): Certificate {
	const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const now = DateTime.utc();
	const [notBefore, notAfter] = [now.minus({ days: 60 }), now.plus({ days })].map((time) =>
		text(0x17, time.toFormat("yyMMddHHmmss'Z'")),
	) as [Buffer, Buffer];
	const name = sequence(der(0x31, sequence(commonName, text(0x0c, 'Messaging Service Sandbox'))));
	const extensions = sequence(
		sequence(basicConstraints, derTrue, der(0x04, sequence(derTrue))),
		sequence(subjectAltName, der(0x04, sequence(...hosts.map(alternative)))),
	);
	const content = sequence(
		der(0xa0, der(0x02, Buffer.from([2]))),
		der(0x02, Buffer.from(String(now.toMillis()))),
		ecdsaWithSha256,
		name,
		sequence(notBefore, notAfter),
		name,
		publicKey.export({ type: 'spki', format: 'der' }),
		der(0xa3, extensions),
	);
	const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]);
	const certificate = sequence(content, ecdsaWithSha256, der(0x03, signature));
	const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
	return {
		key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
		cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
	};
}
