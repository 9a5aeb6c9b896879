import axios from 'axios';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();

const get = (headers: Record<string, string>, path = '') =>
	axios.get(`${fixture.sandbox.url}/__sandbox${path}`, { headers, proxy: false });

test.each(['', '/'])('is a page for a browser, JSON for any other caller: "%s"', async (path) => {
	const page = await get({ accept: 'text/html,application/xhtml+xml' }, path);
	expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
	expect(page.data).toContain('<title>Messaging Service Sandbox</title>');
	expect((await get({ accept: '*/*' }, path)).data.keys).toEqual(fixture.sandbox.keys);
});

test('takes nothing from elsewhere', async () => {
	const { data, headers } = await get({ accept: 'text/html' });
	expect(headers['content-security-policy']).toContain("default-src 'none'");
	expect(data).not.toMatch(/https?:\/\/|\bsrc=|@import|url\(/);
});
