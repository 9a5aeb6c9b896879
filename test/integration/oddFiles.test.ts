import type { IBinaryData, INodeParameters } from 'n8n-workflow';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const upload: INodeParameters = { resource: 'media', operation: 'upload' };
const withFile = (data: unknown) => ({
	items: [{ json: {}, binary: { data: data as IBinaryData } }],
});

test('base64 with line breaks, as emails have it, arrives whole', async () => {
	const content = 'x'.repeat(1_000);
	const lines =
		Buffer.from(content)
			.toString('base64')
			.match(/.{1,76}/g) ?? [];
	const file = { data: lines.join('\r\n'), mimeType: 'text/plain', fileName: 'a.txt' };
	const [json] = await sandbox.json(upload, withFile(file));
	expect(json).toMatchObject({ size: content.length, filename: 'a.txt' });
});

test('a name and a type that are no text are replaced', async () => {
	const file = { data: 'AAAA', mimeType: 5, fileName: 7, fileExtension: 'bin' };
	const [json] = await sandbox.json(upload, withFile(file));
	expect(json).toMatchObject({ filename: 'file.bin', mimeType: 'application/octet-stream' });
});

test.each([{ data: 5, mimeType: 'text/plain' }, null])(
	'a field with %j holds no file',
	async (data) => {
		const error = await sandbox.failure(upload, withFile(data));
		expect(error.message).toBe('The binary field of the input item holds no file');
		expect(await sandbox.requests()).toEqual([]);
	},
);
