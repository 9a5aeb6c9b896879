import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { map, max, sortBy, sum } from 'lodash';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { binaryFile, multipart } from '../../nodes/MessagingService/api/binaryFile';
import { executeContext } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';

// The copy that n8n-core itself uses: other packages bring other versions.
const { Container: container } = createRequire(require.resolve('n8n-core'))('@n8n/di') as {
	Container: { get<T>(type: new (...args: never[]) => T): T };
};

/** What n8n-core reads and writes files with. */
const keeper = (): BinaryDataService => container.get(BinaryDataService);

/** Sets where n8n-core keeps files, as the server does when it starts; filesystem mode writes into `folder`. */
async function useBinaryMode(mode: 'default' | 'filesystem', folder: string): Promise<void> {
	const config = container.get(BinaryDataConfig);
	config.mode = mode;
	config.localStoragePath = folder;
	await keeper().init();
}

const sandbox = useSandbox();
const phone = '447700900210';
const MiB = 1_048_576;

let folder = '';
beforeAll(async () => (folder = await mkdtemp(path.join(tmpdir(), 'files-'))));
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** An input item with a file that n8n keeps in its way. */
async function itemWith(content: Buffer, name: string): Promise<INodeExecutionData> {
	const { helpers } = executeContext({ credential: sandbox.credential(), parameters: {} });
	const data = await helpers.prepareBinaryData(content, name);
	return { json: {}, binary: { data } };
}

const upload = { resource: 'media', operation: 'upload' };
const send = { resource: 'chatMessage', operation: 'send', phone, message: 'Hi' };
const continuing = { node: { onError: 'continueRegularOutput' as const } };

/** A picture of so many bytes; what follows the signature is never looked at. */
const picture = (size: number) =>
	Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(size, 7)]);

const failWith = async (screenshot: unknown) =>
	await sandbox.responds('/chat/send', 500, { success: false, error: 'No session', screenshot });

describe.each(['default', 'filesystem'] as const)('in %s mode', (mode) => {
	const content = Buffer.concat([Buffer.from('%PDF-1.4'), Buffer.alloc(MiB, 7)]);
	const filename = 'Rechnung ä 発票.pdf';
	let items: INodeExecutionData[] = [];

	beforeAll(async () => await useBinaryMode(mode, folder));
	beforeEach(async () => void (items = [await itemWith(content, filename)]));

	const file = {
		field: 'file',
		filename,
		mimeType: 'application/pdf',
		size: content.length,
		sha256: createHash('sha256').update(content).digest('hex'),
	};

	// n8n names a file's type by its ending, and may not know it.
	test('the ending of a file leads to its media type', async () => {
		const endings = 'jpg jpeg png gif webp mp4 mkv avi mp3 wav ogg opus m4a csv mov heic'.split(
			' ',
		);
		const people = endings.map(async (ending, index) => {
			const item = await itemWith(content, `a.${ending}`);
			return { ...item, json: { phone: `4477009002${index + 10}` } };
		});
		const media = { operation: 'sendMedia', mediaType: 'auto', mediaSource: 'binary' };
		const parameters = { ...send, ...media, phone: '={{ $json.phone }}' };
		await sandbox.run(parameters, { items: await Promise.all(people) });
		const sent = sortBy(await sandbox.bodies('/chat/send-media'), 'phone');
		const counts = { image: 5, video: 3, audio: 5, document: 3 };
		expect(map(sent, 'type')).toEqual(
			Object.entries(counts).flatMap(([type, count]) => Array<string>(count).fill(type)),
		);
	});

	test('a file is sent as it is, also for a message', async () => {
		await sandbox.run(upload, { items });
		await sandbox.run({ ...send, operation: 'sendMedia', mediaSource: 'binary' }, { items });
		const uploads = await sandbox.bodies('/chat/upload');
		expect(uploads).toMatchObject([{ files: [file] }, { files: [file] }]);
		expect(await sandbox.bodies('/chat/send-media')).toMatchObject([
			{ type: 'document', filename },
		]);
	});

	const big = { data: Array<number>(2_000).fill(1) };
	const base64 = picture(MiB).toString('base64');
	test.each<[string, unknown, Buffer, string]>([
		['base64', base64, picture(MiB), 'image/png'],
		['a data URL', `data:image/png;base64,${base64}`, picture(MiB), 'image/png'],
		['another value', big, Buffer.from(JSON.stringify(big)), 'text/plain'],
	])(
		'a screenshot as %s becomes a file of the failed item',
		async (_name, value, bytes, mimeType) => {
			await failWith(value);
			const [item] = await sandbox.run(send, continuing);
			const details = { screenshot: 'screenshot' };
			expect(item?.json).toMatchObject({ error: 'No session', details });
			const { screenshot = { data: '', mimeType: '' } } = item?.binary ?? {};
			expect(screenshot.mimeType).toBe(mimeType);
			expect((await keeper().getAsBuffer(screenshot)).equals(bytes)).toBe(true);
		},
	);
});

test('a screenshot that n8n cannot write takes nothing away from the failure', async () => {
	const place = path.join(folder, 'taken');
	await useBinaryMode('filesystem', place);
	// What is a file cannot be a folder.
	await rm(place, { recursive: true, force: true });
	await writeFile(place, '');
	await failWith(picture(10_000).toString('base64'));
	const [json] = await sandbox.json(send, continuing);
	const screenshot = expect.stringMatching(/^left out/) as string;
	expect(json).toMatchObject({ error: 'No session', details: { outcome: 'rejected', screenshot } });
});

describe('with binary mode "combined", where a file has a path', () => {
	const pdf = { data: 'JVBERg==', mimeType: 'application/pdf', fileName: 'a.pdf' };
	const other = { ...pdf, data: 'JVBERi0=' };
	const settings = { binaryMode: 'combined' as const };
	const withFiles = (...files: unknown[]) =>
		files.map((data) => ({ json: { phone, _files: { data } } as IDataObject }));
	const template = { templateName: 'order_update', binaryPropertyName: '_files.data' };
	const campaign = { resource: 'bulkCampaign', operation: 'create', ...template };
	const header = { campaignHeader: 'binary' };

	test('it is found by that path, alone and for a campaign', async () => {
		const binaryPropertyName = '_files.data';
		const rest = { items: withFiles(pdf), settings };
		await sandbox.run({ ...upload, binaryPropertyName }, rest);
		const media = { operation: 'sendMedia', mediaSource: 'binary', binaryPropertyName };
		await sandbox.run({ ...send, ...media }, rest);
		const items = withFiles(undefined, pdf, pdf);
		await sandbox.run({ ...campaign, ...header }, { items, settings });
		const uploads = await sandbox.bodies('/chat/upload');
		expect(uploads).toMatchObject(Array(3).fill({ files: [{ filename: 'a.pdf', size: 4 }] }));
	});

	test.each([
		['The item has no binary field "_files.data"', withFiles({})],
		['different files: one in item 0, another in item 1', withFiles(pdf, other)],
	])('%s', async (message, items) => {
		const parameters = { ...campaign, ...header };
		expect(await sandbox.refusal(parameters, { items, settings })).toContain(message);
	});
});

test('base64 with line breaks, as emails have it, arrives whole', async () => {
	const content = Buffer.alloc(1_000, 'x').toString('base64');
	const lines = content.match(/.{1,76}/g) ?? [];
	const data = { data: lines.join('\r\n'), mimeType: 'text/plain', fileName: 'a.txt' };
	const [json] = await sandbox.json(upload, { items: [{ json: {}, binary: { data } }] });
	expect(json).toMatchObject({ size: 1_000, filename: 'a.txt' });
});

// bench/cases/upload.ts measures the memory of a whole upload.
test('a file on disk is sent in pieces', async () => {
	await useBinaryMode('filesystem', folder);
	const items = [await itemWith(picture(3 * MiB), 'film.mp4')];
	const context = executeContext({ credential: sandbox.credential(), parameters: upload, items });
	const file = await binaryFile(context, 0, 'data');
	const { body, headers } = await multipart({ fields: {}, file });
	const sizes = await (body as Readable).map((chunk: Buffer) => chunk.length).toArray();
	expect(max(sizes)).toBeLessThan(MiB);
	expect(sum(sizes)).toBe(headers['Content-Length']);
});
