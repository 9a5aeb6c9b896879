import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether a delivery was signed with one of the webhook's secrets: HMAC-SHA256 over the raw body, never
 * one that was parsed and written again, as hex in either case or as base64, with or without `sha256=`
 * in front (docs/service.md, section 6). Compared in constant time.
 */
export function isSigned(rawBody: Uint8Array, signature: string, secrets: string[]): boolean {
	const given = digestIn(signature.replace(/^sha256=/i, ''));
	if (!given) return false;
	return secrets.some((secret) =>
		timingSafeEqual(given, createHmac('sha256', secret).update(rawBody).digest()),
	);
}

/** The 32 bytes that a text is; undefined if it is anything else. */
function digestIn(text: string): Buffer | undefined {
	if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
	const bytes = Buffer.from(text, 'base64');
	// What is no Base64 is left out silently.
	return bytes.length === 32 && bytes.toString('base64') === text ? bytes : undefined;
}
