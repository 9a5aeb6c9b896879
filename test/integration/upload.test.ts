import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { useBinaryMode } from '../support/core/binaryData';
import { executeContext } from '../support/core/execute';
import { startSandboxProcess } from '../support/core/sandboxProcess';
import { useSandbox } from '../support/core/useSandbox';

// What the sandbox takes of the file must not count.
const sandbox = useSandbox(startSandboxProcess);
const MiB = 1_048_576;
let folder = '';

beforeAll(async () => {
	folder = await mkdtemp(path.join(tmpdir(), 'upload-'));
	await useBinaryMode('filesystem', folder);
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

function* blocks(count: number): Generator<Buffer> {
	for (let index = 0; index < count; index++) yield Buffer.alloc(MiB, index);
}

test('a file of 300 MiB is streamed: memory rises by less than 64 MiB', async () => {
	const { helpers } = executeContext({ credential: sandbox.credential(), parameters: {} });
	const data = await helpers.prepareBinaryData(Readable.from(blocks(300)), 'film.mp4', 'video/mp4');
	let peak = 0;
	const before = process.memoryUsage().rss;
	const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 2);
	const items = [{ json: {}, binary: { data } }];
	const [json] = await sandbox.json({ resource: 'media', operation: 'upload' }, { items });
	clearInterval(sampling);
	expect(json).toMatchObject({ size: 300 * MiB, filename: 'film.mp4', mimeType: 'video/mp4' });
	const [request] = await sandbox.requests('/chat/upload');
	expect(request?.contentLength).toBeGreaterThan(300 * MiB);
	expect(peak - before).toBeLessThan(64 * MiB);
});
