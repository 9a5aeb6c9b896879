import { createHmac, timingSafeEqual } from 'node:crypto';
import { compact } from 'lodash';

const maxSignatures = 5;

/**
 * Whether a delivery was signed with one of the webhook's secrets: HMAC-SHA256 over the raw body (docs/service.md,
 * section 6). One matching signature in the header is enough; each is compared in constant time.
 */
export function isSigned(rawBody: Uint8Array, header: string, secrets: string[]): boolean {
	const digests = digestsIn(header);
	if (digests.length === 0) return false;
	const expected = secrets.map((secret) => createHmac('sha256', secret).update(rawBody).digest());
	return digests.some((given) => expected.some((one) => timingSafeEqual(given, one)));
}

/**
 * The signatures of a header, separated by commas, of 32 bytes each: hex in either case, base64 or
 * base64url with or without padding, with or without `sha256=` in front.
 */
export const digestsIn = (header: string): Buffer[] =>
	compact(header.split(',', maxSignatures).map((text) => digestIn(text.trim())));

function digestIn(prefixed: string): Buffer | undefined {
	const text = prefixed.replace(/^sha256=/i, '');
	if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
	const bytes = Buffer.from(text, 'base64');
	// Node skips characters outside base64, so the bytes must encode to the same text again.
	const plain = text.replace(/\+/g, '-').replace(/\//g, '_').replace(/=$/, '');
	return bytes.length === 32 && bytes.toString('base64url') === plain ? bytes : undefined;
}
