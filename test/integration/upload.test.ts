import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that are in use, without those that wait for the garbage collection. */
function inUse(): number {
	collectGarbage();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

function* blocks(count: number): Generator<Buffer> {
	for (let index = 0; index < count; index++) yield Buffer.alloc(MiB, index);
}

/** Uploads a file of so many MiB. @returns by how much the bytes in use rise meanwhile, in MiB */
async function riseOfUpload(size: number): Promise<number> {
	const { helpers } = executeContext({ credential: sandbox.credential(), parameters: {} });
	const content = Readable.from(blocks(size));
	const data = await helpers.prepareBinaryData(content, 'film.mp4', 'video/mp4');
	const before = inUse();
	let peak = before;
	let timer: NodeJS.Timeout | undefined;
	const look = () => {
		const start = performance.now();
		peak = Math.max(peak, inUse());
		// Leaves most of the time to the upload, however long a look takes.
		timer = setTimeout(look, 4 * (performance.now() - start));
	};
	timer = setTimeout(look);
	const items = [{ json: {}, binary: { data } }];
	// However long it takes on a busy machine.
	const options = { timeout: 600_000 };
	const parameters = { resource: 'media', operation: 'upload', options };
	const [json] = await sandbox.json(parameters, { items });
	clearTimeout(timer);
	expect(json).toMatchObject({ size: size * MiB, filename: 'film.mp4', mimeType: 'video/mp4' });
	const requests = await sandbox.requests('/chat/upload');
	expect(requests.at(-1)?.contentLength).toBeGreaterThan(size * MiB);
	return (peak - before) / MiB;
}

test('a file is streamed: a large one takes no more memory than a small one', async () => {
	const [small, large] = [8, 56];
	await riseOfUpload(small);
	const rise = await riseOfUpload(small);
	// A file that is held in memory raises it by all of the difference, and more.
	expect(await riseOfUpload(large)).toBeLessThan(rise + (large - small) / 2);
}, 900_000);
