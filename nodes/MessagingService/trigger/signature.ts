import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { compact } from 'lodash';

const maxSignatures = 5;

/**
 * Whether a delivery was signed with one of the webhook's secrets: HMAC-SHA256 over the raw body (docs/service.md,
 * section 6). One matching signature in the header is enough; each is compared in constant time.
 */
export function isSigned(rawBody: Uint8Array, header: string, secrets: string[]): boolean {
	return isHmac(digestsIn(header), rawBody, secrets);
}

/** Whether one of the digests, of 32 bytes each, is the HMAC-SHA256 of the raw body with one of the secrets. */
export function isHmac(digests: Buffer[], rawBody: Uint8Array, secrets: string[]): boolean {
	if (digests.length === 0) return false;
	const expected = secrets.map((secret) => createHmac('sha256', secret).update(rawBody).digest());
	return digests.some((given) => expected.some((one) => timingSafeEqual(given, one)));
}

/** Whether a text is the secret; compared in constant time, whatever the lengths. */
export function isSecret(text: string, secret: string): boolean {
	const digest = (value: string) => createHash('sha256').update(value).digest();
	return timingSafeEqual(digest(text), digest(secret));
}

/**
 * The signatures of a header, separated by commas, of 32 bytes each: hex in either case, base64 or
 * base64url with or without padding, with or without the algorithm in front, such as `sha256=` or `hmac-sha256:`.
 */
export const digestsIn = (header: string): Buffer[] =>
	compact(header.split(',', maxSignatures).map((text) => digestIn(text.trim())));

function digestIn(prefixed: string): Buffer | undefined {
	const text = prefixed.replace(/^(hmac-)?sha-?256[=:]\s*/i, '');
	if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
	const bytes = Buffer.from(text, 'base64');
	// Node skips characters outside base64, so the bytes must encode to the same text again.
	const plain = text.replace(/\+/g, '-').replace(/\//g, '_').replace(/=$/, '');
	return bytes.length === 32 && bytes.toString('base64url') === plain ? bytes : undefined;
}
