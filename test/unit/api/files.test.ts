import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { binaryFile } from '../../../nodes/MessagingService/api/binaryFile';
import type { ApiContext } from '../../../nodes/MessagingService/api/client';
import { Failure, failureOr } from '../../../nodes/MessagingService/api/failure';
import { multipart } from '../../../nodes/MessagingService/api/multipart';
import { screenshotKeeper } from '../../../nodes/MessagingService/api/screenshot';
import { fakeFile } from '../../support/unit/fakeRead';

describe('a file of an input item', () => {
	const stored = Readable.from([Buffer.from('stored')]);

	/** The file that this data is, in an n8n that stores a file of so many bytes. */
	async function fileOf(data: unknown, fileSize = 6) {
		const helpers = {
			assertBinaryData: (itemIndex: number, property: string) => {
				expect([itemIndex, property]).toEqual([2, 'field']);
				return data;
			},
			getBinaryMetadata: async (id: string) => await Promise.resolve({ id, fileSize }),
			getBinaryStream: async (id: string) => {
				expect(id).toBe('store:1');
				return await Promise.resolve(stored);
			},
		};
		const items = [{}, {}, { binary: { field: data } }];
		const context = { helpers, getInputData: () => items } as unknown as IExecuteFunctions;
		return await failureOr(binaryFile(context, 2, 'field'));
	}

	const data = Buffer.from('content').toString('base64');

	test('is its content in memory', async () => {
		const file = await fileOf({ data, mimeType: 'a/b', fileName: 'n.pdf', fileExtension: 'x' });
		expect(file).toMatchObject({
			fileName: 'n.pdf',
			mimeType: 'a/b',
			size: 7,
			identity: data,
		});
		expect(await (file as ReturnType<typeof fakeFile>).open()).toEqual(Buffer.from('content'));
	});

	test('is what n8n has stored', async () => {
		const file = await fileOf({ data: 'filesystem-v2', id: 'store:1', mimeType: 'a/b' });
		expect(file).toMatchObject({ size: 6, identity: 'store:1' });
		expect(await (file as ReturnType<typeof fakeFile>).open()).toBe(stored);
	});

	test.each([
		[{ fileExtension: 'pdf' }, 'file.pdf', 'application/octet-stream'],
		[{ fileName: '', mimeType: '' }, 'file', 'application/octet-stream'],
		[{ fileName: 5, mimeType: 5, fileExtension: 5 }, 'file', 'application/octet-stream'],
		[{ fileName: 'a', mimeType: 'b' }, 'a', 'b'],
	])('%j has name and type', async (facts, fileName, mimeType) => {
		expect(await fileOf({ data, ...facts })).toMatchObject({ fileName, mimeType });
	});

	const description = 'Check the node that made the file.';

	test.each([undefined, null, {}, { data: 5 }])('%j is none', async (given) => {
		expect(await fileOf(given)).toMatchObject({
			message: 'The binary field of the input item holds no file (item 3)',
			description,
			outcome: 'notSent',
		});
	});

	test.each([
		[{ data: '' }, 6],
		[{ data: 'x', id: 'store:1' }, 0],
	])('%j is empty', async (facts, size) => {
		expect(await fileOf({ fileName: 'n'.repeat(101), ...facts }, size)).toMatchObject({
			message: `The file "${'n'.repeat(100)}" is empty (item 3)`,
			description,
			outcome: 'notSent',
		});
	});
});

describe('a file in a form', () => {
	const headers = async (mimeType: string) => {
		const { body } = await multipart({ fields: {}, file: { ...fakeFile(), mimeType } });
		return /\r\nContent-Type: (.*)\r\n\r\n/.exec(String(body))?.[1];
	};

	test.each([
		['text/plain', 'text/plain'],
		['application/vnd.x+json', 'application/vnd.x+json'],
		['a!#$&^_.+-b/c!#$&^_.+-d', 'a!#$&^_.+-b/c!#$&^_.+-d'],
		['text/plain;', 'text/plain;'],
		['text/plain; charset=utf-8\t', 'text/plain; charset=utf-8\t'],
		['text/plain; ä', 'application/octet-stream'],
		['text/plain\n', 'application/octet-stream'],
		['(text/plain', 'application/octet-stream'],
		['text/plain)', 'application/octet-stream'],
		['text', 'application/octet-stream'],
		['/plain', 'application/octet-stream'],
		['text/', 'application/octet-stream'],
	])('of type %j has the type %j', async (type, sent) => {
		expect(await headers(type)).toBe(sent);
	});

	test('has several fields, each once, and boundaries that nobody can foresee', async () => {
		const form = { fields: { a: '1', b: '2' }, file: fakeFile() };
		const [one, other] = [await multipart(form), await multipart(form)];
		const boundary = /boundary=(n8n-.{36})$/.exec(one.headers['Content-Type'])?.[1] ?? 'none';
		const part = (name: string, value: string) =>
			`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
		const start = `${part('a', '1')}${part('b', '2')}--${boundary}\r\n`;
		expect(String(one.body).startsWith(start)).toBe(true);
		expect(other.headers['Content-Type']).not.toBe(one.headers['Content-Type']);
	});

	test('is closed without an error for nobody, if nobody has read it', async () => {
		const file = Readable.from([Buffer.from('content')]);
		const open = async () => await Promise.resolve(file);
		const { close } = await multipart({ fields: {}, file: { ...fakeFile(), open } });
		close();
		await sleep(10);
		expect(file.destroyed).toBe(true);
	});

	test('is closed if it is a stream', async () => {
		const file = Readable.from([Buffer.from('content')]);
		const open = async () => await Promise.resolve(file);
		const { body, close } = await multipart({ fields: {}, file: { ...fakeFile(), open } });
		expect(file.destroyed).toBe(false);
		await (body as Readable)[Symbol.asyncIterator]().next();
		close();
		expect(file.destroyed).toBe(true);
		const inMemory = await multipart({ fields: {}, file: fakeFile() });
		expect(() => inMemory.close()).not.toThrow();
		expect(String(await buffer(Readable.from([inMemory.body as Buffer])))).toContain('content');
	});
});

describe('the screenshot of a failed send', () => {
	const failed = (screenshot: unknown) =>
		new Failure('No session', {
			outcome: 'rejected',
			description: 'D',
			statusCode: 500,
			facts: { code: 'C', screenshot: screenshot as string },
		});

	/** Keeps screenshots in an n8n that stores files, in itself or elsewhere. */
	function keeper({ continues = true, id = undefined as string | undefined, error = '' } = {}) {
		const made: Array<[Buffer, string, string]> = [];
		const prepareBinaryData = async (...args: [Buffer, string, string]) => {
			made.push(args);
			if (error !== '') throw new Error(error);
			const data = id === undefined ? args[0].toString('base64') : 'store';
			return await Promise.resolve({ data, id, mimeType: args[2] } as IBinaryData);
		};
		const helpers = { prepareBinaryData };
		const context = { helpers, continueOnFail: () => continues } as unknown as ApiContext;
		return { made, keep: screenshotKeeper(context) };
	}

	const big = Buffer.alloc(1_500, 'not a picture');
	const starting = (hex: string) => Buffer.concat([Buffer.from(hex, 'hex'), big]);
	const png = starting('89504e470d0a');
	const jpeg = starting('ffd8ff');
	const webp = starting('524946460000');
	const text = 'x'.repeat(2_001);

	test.each<[string, unknown, string, Buffer]>([
		['text', text, 'text/plain', Buffer.from(text)],
		['an object', { text }, 'text/plain', Buffer.from(JSON.stringify({ text }))],
		['base64 of PNG', png.toString('base64'), 'image/png', png],
		['base64 of JPEG', jpeg.toString('base64'), 'image/jpeg', jpeg],
		['base64 of WebP', webp.toString('base64'), 'image/webp', webp],
		['a data URL', `data:image/x-a.b+c;base64,${png.toString('base64')}`, 'image/x-a.b+c', png],
		[
			'a data URL within text',
			`see data:image/png;base64,${png.toString('base64')}`,
			'text/plain',
			Buffer.from(`see data:image/png;base64,${png.toString('base64')}`),
		],
		[
			'a data URL in lines',
			`data:image/png;base64,${png.toString('base64').replace(/(.{76})/g, '$1\n')}`,
			'image/png',
			png,
		],
	])('as %s becomes a file', async (_name, screenshot, mimeType, content) => {
		const { made, keep } = keeper();
		const kept = await keep(failed(screenshot));
		expect(made).toEqual([[content, 'screenshot', mimeType]]);
		const { message, outcome, description, statusCode, facts, binary } = kept;
		expect({ message, outcome, description, statusCode }).toEqual({
			message: 'No session',
			outcome: 'rejected',
			description: 'D',
			statusCode: 500,
		});
		expect(facts).toEqual({ code: 'C', screenshot: 'screenshot' });
		expect(binary).toEqual({
			screenshot: { data: content.toString('base64'), id: undefined, mimeType },
		});
	});

	test.each([undefined, null, '', 7, text.slice(1)])('%p stays where it is', async (screenshot) => {
		const { made, keep } = keeper();
		const failure = failed(screenshot);
		expect(await keep(failure)).toBe(failure);
		expect(made).toEqual([]);
	});

	test('is a word about it where the item does not go on', async () => {
		const word =
			'not kept (2001 characters); with On Error set to continue it becomes a file of the item';
		for (const keep of [
			keeper({ continues: false }).keep,
			screenshotKeeper({} as unknown as ApiContext),
		]) {
			const { facts, binary } = await keep(failed(text));
			expect(facts).toEqual({ code: 'C', screenshot: word });
			expect(binary).toBeUndefined();
		}
	});

	test('is a word about it where it cannot be written', async () => {
		const { keep } = keeper({ error: 'e'.repeat(201) });
		const { facts, binary } = await keep(failed(text));
		expect(facts.screenshot).toBe(`not kept (2001 characters): ${'e'.repeat(200)}`);
		expect(binary).toBeUndefined();
	});

	test('takes no more memory than n8n can save, whoever kept files elsewhere', async () => {
		const quarter = 'x'.repeat(6 * 1024 * 1024);
		const results = async (keep: (failure: Failure) => Promise<Failure>) => {
			const words: unknown[] = [];
			for (let i = 0; i < 6; i++) words.push((await keep(failed(quarter))).facts.screenshot);
			return words;
		};
		const file = 'screenshot';
		const word = 'not kept (6291456 characters), after many others';
		expect(await results(keeper().keep)).toEqual([file, file, file, file, file, word]);
		const elsewhere = keeper({ id: 'store:1' });
		expect(await results(elsewhere.keep)).toEqual(Array(6).fill(file));
	});
});
