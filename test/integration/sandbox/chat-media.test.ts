import { createHash } from 'node:crypto';
import { shown, useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const phone = '919812345678';

function upload(content: string | Buffer, filename: string, type: string, fields: object = {}) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
	form.set('file', new Blob([content], { type }), filename);
	return fixture.api.post('/chat/upload', form);
}

function sendMedia(body: object) {
	return fixture.api.post('/chat/send-media', { phone, ...body });
}

describe('POST /chat/upload', () => {
	test('takes a file and tells its id', async () => {
		expect(shown(await upload('content', 'bill.pdf', 'application/pdf'))).toEqual({
			status: 200,
			data: {
				success: true,
				mediaId: expect.stringMatching(/^\d+$/),
				type: 'document',
				mimeType: 'application/pdf',
				filename: 'bill.pdf',
				size: 7,
				message: expect.any(String),
			},
		});
	});

	test.each([
		['a.png', 'image/png', 'image'],
		['a.webp', 'image/webp', 'image'],
		['a.mp4', 'video/mp4', 'video'],
		['a.mkv', 'video/x-matroska', 'video'],
		['a.mp3', 'audio/mpeg', 'audio'],
		['a.docx', 'application/octet-stream', 'document'],
		['a.jpg', 'application/octet-stream', 'image'],
		['note', 'text/plain', 'document'],
	])('takes %s (%s) for %s', async (filename, mimeType, type) => {
		expect((await upload('x', filename, mimeType)).data).toMatchObject({ type, filename });
	});

	test.each([
		['a.tiff', 'image/tiff'],
		['a.webm', 'video/webm'],
		['a.flac', 'audio/flac'],
		['a.bmp', 'application/octet-stream'],
	])('answers 400 for %s (%s)', async (filename, mimeType) => {
		expect(shown(await upload('x', filename, mimeType))).toEqual({
			status: 400,
			data: { error: 'Unsupported media type' },
		});
	});

	test('answers 400 without a file, without a form and for an unknown number', async () => {
		const form = new FormData();
		form.set('configId', '14155550100');
		expect((await fixture.api.post('/chat/upload', form)).data.error).toBe('file is required');
		expect((await fixture.api.post('/chat/upload', { file: 'x' })).status).toBe(400);
		const unknown = await upload('x', 'a.pdf', 'application/pdf', { configId: 'unknown' });
		expect(unknown.status).toBe(400);
	});

	test('answers 400 for a form that breaks off', async () => {
		const response = await fixture.api.post('/chat/upload', '--x\r\nContent-Disp', {
			headers: { 'content-type': 'multipart/form-data; boundary=x' },
		});
		expect(response.status).toBe(400);
		expect(Object.keys(response.data)).toEqual(['error']);
	});

	test('passes a large file through, counted and hashed', async () => {
		const content = Buffer.alloc(20 * 1024 * 1024, 'content');
		expect((await upload(content, 'large.pdf', 'application/pdf')).data.size).toBe(content.length);
		const [entry] = await fixture.control.journal({ kind: 'request' });
		const sha256 = createHash('sha256').update(content).digest('hex');
		expect(entry?.body).toMatchObject({ files: [{ size: content.length, sha256 }] });
	});
});

describe('POST /chat/send-media', () => {
	test('sends an uploaded file', async () => {
		const { mediaId } = (await upload('x', 'a.png', 'image/png')).data;
		await fixture.control.setAccount({ chatBalance: 3 });
		expect(shown(await sendMedia({ type: 'image', mediaId, caption: 'Look' }))).toEqual({
			status: 200,
			data: {
				success: true,
				message: expect.any(String),
				providerMessageId: expect.any(String),
				cost: 1,
				remainingBalance: 2,
			},
		});
		expect(await fixture.control.messages()).toMatchObject([{ type: 'image', content: 'Look' }]);
	});

	test.each([
		['image', 'https://files.example/a.PNG?size=2'],
		['video', 'https://files.example/a.avi'],
		['audio', 'https://files.example/a.m4a'],
		['document', 'https://files.example/a.xls'],
		['image', 'https://files.example/picture'],
	])('sends a URL as %s: %s', async (type, mediaUrl) => {
		expect((await sendMedia({ type, mediaUrl })).status).toBe(200);
	});

	test.each([
		['an unknown type', { type: 'sticker', mediaUrl: 'https://files.example/a' }, 'type'],
		['no type', { mediaUrl: 'https://files.example/a' }, 'Missing required field: type'],
		['neither URL nor id', { type: 'image' }, 'Either mediaUrl or mediaId is required'],
		['plain HTTP', { type: 'image', mediaUrl: 'http://files.example/a.png' }, 'HTTPS'],
		['this computer', { type: 'image', mediaUrl: 'https://127.0.0.1/a.png' }, 'publicly'],
		['no URL', { type: 'image', mediaUrl: 'a.png' }, 'HTTPS'],
		['an unknown id', { type: 'image', mediaId: '123' }, "mediaId '123'"],
		['another kind of file', { type: 'image', mediaUrl: 'https://x.example/a.mp4' }, 'media type'],
		['a refused format', { type: 'document', mediaUrl: 'https://x.example/a.tiff' }, 'media type'],
	])('answers 400 for %s', async (_case, body, error) => {
		const response = await sendMedia(body);
		expect(response.status).toBe(400);
		expect(response.data.error).toContain(error);
	});

	test('answers 400 for a file of another kind', async () => {
		const { mediaId } = (await upload('x', 'a.png', 'image/png')).data;
		expect((await sendMedia({ type: 'video', mediaId })).data).toEqual({
			error: 'Unsupported media type',
		});
	});

	test('answers 402 without credits', async () => {
		await fixture.control.setAccount({ chatBalance: 0 });
		const body = { type: 'image', mediaUrl: 'https://files.example/a.png' };
		expect((await sendMedia(body)).status).toBe(402);
	});
});
