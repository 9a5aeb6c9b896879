import { createHmac, timingSafeEqual } from 'node:crypto';

const prefix = 'sha256=';

/**
 * Whether a delivery was signed with one of the webhook's secrets: HMAC-SHA256 over the raw body as
 * hex in either case or as base64, with or without `sha256=` in front (docs/service.md, section 6).
 * Compared in constant time.
 *
 * @param rawBody the bytes as they came, never a body that was parsed and written again
 * @param secrets without one nothing is signed
 */
export function isSigned(rawBody: Uint8Array, signature: string, secrets: string[]): boolean {
	const given = signature.startsWith(prefix) ? signature.slice(prefix.length) : signature;
	return secrets.some((secret) => {
		const expected = createHmac('sha256', secret).update(rawBody).digest();
		return (
			isSame(given.toLowerCase(), expected.toString('hex')) ||
			isSame(given, expected.toString('base64'))
		);
	});
}

function isSame(given: string, expected: string): boolean {
	const [a, b] = [Buffer.from(given), Buffer.from(expected)];
	return a.length === b.length && timingSafeEqual(a, b);
}
