import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether an address or host name means this computer. */
export function isLoopback(host: string): boolean {
	const bare = host.replace(/^\[|\]$/g, '').replace(/^::ffff:(?=\d+\.)/i, '');
	const version = isIP(bare);
	if (version === 0) return bare === 'localhost' || bare.endsWith('.localhost');
	return LOOPBACK.check(bare, version === 4 ? 'ipv4' : 'ipv6');
}

function parse(url: string): URL | null {
	return URL.canParse(url) ? new URL(url) : null;
}

/** HTTPS as documented (docs/service.md, section 8.3), or plain HTTP to this computer for local tests. */
export function isWebhookUrl(url: string): boolean {
	const parsed = parse(url);
	if (!parsed) return false;
	if (parsed.protocol === 'https:') return true;
	return parsed.protocol === 'http:' && isLoopback(parsed.hostname);
}

/** HTTPS to another computer: the service must be able to fetch it (docs/service.md, section 8.3). */
export function isPublicHttpsUrl(url: string): boolean {
	const parsed = parse(url);
	return parsed !== null && parsed.protocol === 'https:' && !isLoopback(parsed.hostname);
}
