import {
	pageHeaders,
	questionPage,
	recordedPage,
} from '../../../nodes/MessagingService/sendAndWait/page';

const hostile = '"><script>alert(1)</script>\n\'&';
const escaped = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;';
const page = { title: `T${hostile}`, text: `M${hostile}`, button: `B${hostile}`, isText: false };

const pages: Array<[string, string]> = [
	['confirmation', questionPage(page)],
	['text', questionPage({ ...page, isText: true }, `N${hostile}`)],
	['recorded', recordedPage],
];

test.each(pages)('the %s page runs no script and loads nothing', (_name, html) => {
	expect(html).not.toMatch(/<script|<link|<img|<iframe|src=|url\(|@import|\son[a-z]+=/i);
	expect(html).toMatch(/^<!doctype html><html lang="en">.*<\/html>$/s);
});

test.each(pages.slice(0, 2))('the %s page is escaped, with a form', (_name, html) => {
	for (const place of ['T', 'M', 'B']) expect(html).toContain(`${place}${escaped}`);
	expect(html).toContain(`M${escaped}<br>&#39;&amp;`);
	expect(html.match(/<form method="post">/g)).toHaveLength(1);
	expect(html.match(/<button type="submit">/g)).toHaveLength(1);
	expect(html).not.toContain('href');
});

test('the text page has one required field and says what was wrong', () => {
	const [, html = ''] = pages[1] ?? [];
	expect(html.match(/<textarea[^>]* name="text"[^>]* required/g)).toHaveLength(1);
	expect(html).toContain(`<p role="alert">N${escaped}`);
	expect(questionPage({ ...page, text: '' })).not.toMatch(/alert"|<p>/);
});

test('the headers forbid everything but the form', () => {
	const policy = pageHeaders['Content-Security-Policy'];
	expect(policy).toContain("default-src 'none'");
	expect(policy).toMatch(/sandbox allow-forms$/);
	const headers = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };
	expect(pageHeaders).toMatchObject(headers);
});
