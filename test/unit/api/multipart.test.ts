import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { multipart } from '../../../nodes/MessagingService/api/multipart';
import { fakeFile } from '../../support/unit/fakeRead';

async function bytes(body: unknown): Promise<Buffer> {
	return Buffer.isBuffer(body) ? body : await buffer(body as Readable);
}

test.each([
	['a buffer', async () => await Promise.resolve(Buffer.from('file content'))],
	[
		'a stream',
		async () =>
			await Promise.resolve(Readable.from([Buffer.from('file '), Buffer.from('content')])),
	],
])('frames %s and announces the exact length', async (_kind, open) => {
	const file = { ...fakeFile('file content', 'Rechnung ä 発票.pdf'), open };
	const { body, headers } = await multipart({ fields: { configId: 'c1' }, file });
	const sent = await bytes(body);
	expect(headers['Content-Length']).toBe(sent.length);
	const boundary = headers['Content-Type'].split('boundary=')[1];
	expect(sent.toString()).toBe(
		[
			`--${boundary}`,
			'Content-Disposition: form-data; name="configId"',
			'',
			'c1',
			`--${boundary}`,
			'Content-Disposition: form-data; name="file"; filename="Rechnung ä 発票.pdf"',
			'Content-Type: application/pdf',
			'',
			'file content',
			`--${boundary}--`,
			'',
		].join('\r\n'),
	);
});

test('no file name or type can add a header or a part', async () => {
	const file = {
		...fakeFile('x', 'a"\r\nX-Injected: 1\r\n\r\n--b.pdf\0'),
		mimeType: 'text/plain\r\nX-Injected: 1',
	};
	const text = (await bytes((await multipart({ fields: {}, file })).body)).toString();
	expect(text).not.toContain('\r\nX-Injected');
	expect(text).toContain('filename="a%22%0D%0AX-Injected: 1%0D%0A%0D%0A--b.pdf"');
	expect(text).toContain('Content-Type: application/octet-stream');
});
