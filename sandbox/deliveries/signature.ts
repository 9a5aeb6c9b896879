import { createHmac } from 'node:crypto';
import type { Variants } from '../choices';

/** The signature header of a raw body: HMAC-SHA256 with the webhook's secret (docs/service.md, section 6.2). */
export function sign(body: string | Buffer, secret: string, format: Variants['signature']): string {
	const hmac = createHmac('sha256', secret).update(body);
	switch (format) {
		case 'hex':
			return hmac.digest('hex');
		case 'base64':
			return hmac.digest('base64');
		case 'prefixedHex':
			return `sha256=${hmac.digest('hex')}`;
		case 'prefixedBase64':
			return `sha256=${hmac.digest('base64')}`;
	}
}
