import { createHmac, timingSafeEqual } from 'node:crypto';

const prefix = 'sha256=';

/**
 * Whether a delivery was signed with the webhook's secret: HMAC-SHA256 over the raw body as hex or
 * base64, with or without `sha256=` in front (docs/service.md, section 6.2). The text must be the
 * one exact spelling, so that no signature has a second form. Compared in constant time.
 *
 * @param rawBody the bytes as they came, never a body that was parsed and written again
 */
export function isSigned(rawBody: Uint8Array, signature: unknown, secret: string): boolean {
	if (typeof signature !== 'string' || secret === '') return false;
	const given = Buffer.from(
		signature.startsWith(prefix) ? signature.slice(prefix.length) : signature,
	);
	const expected = createHmac('sha256', secret).update(rawBody).digest();
	const matches = (['hex', 'base64'] as const).map((encoding) => {
		const text = Buffer.from(expected.toString(encoding));
		return text.length === given.length && timingSafeEqual(text, given);
	});
	return matches.includes(true);
}
