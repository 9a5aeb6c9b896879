import type { IExecuteFunctions } from 'n8n-workflow';
import { binaryFile, multipart } from '../../../nodes/MessagingService/api/binaryFile';
import { failureOr } from '../../../nodes/MessagingService/api/failure';
import { fakeFile } from '../../support/unit/fakeRead';

describe('a file of an input item', () => {
	/** The file that this data is, in an n8n that stores a file of so many bytes. */
	async function fileOf(data: unknown, fileSize = 6) {
		const helpers = {
			assertBinaryData: (itemIndex: number, property: string) => {
				expect([itemIndex, property]).toEqual([2, 'field']);
				return data;
			},
			getBinaryMetadata: async (id: string) => await Promise.resolve({ id, fileSize }),
		};
		const items = [{}, {}, { binary: { field: data } }];
		const context = { helpers, getInputData: () => items } as unknown as IExecuteFunctions;
		return await failureOr(binaryFile(context, 2, 'field'));
	}

	const data = Buffer.from('content').toString('base64');

	test.each([
		[{ fileExtension: 'pdf' }, 'file.pdf', 'application/octet-stream'],
		[{ fileName: '', mimeType: '' }, 'file', 'application/octet-stream'],
		[{ fileName: 5, mimeType: 5, fileExtension: 5 }, 'file', 'application/octet-stream'],
	])('%j has name and type', async (facts, fileName, mimeType) => {
		expect(await fileOf({ data, ...facts })).toMatchObject({ fileName, mimeType });
	});

	const description = 'Check the node that created the file.';

	test.each([undefined, null, {}, { data: 5 }])('%j is none', async (given) => {
		expect(await fileOf(given)).toMatchObject({
			message: 'The binary field of the input item contains no file (item 3)',
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
		['text/plain; charset=utf-8\t', 'text/plain; charset=utf-8\t'],
		['text/plain; ä', 'application/octet-stream'],
		['text/plain\r\nX-Injected: 1', 'application/octet-stream'],
		['text', 'application/octet-stream'],
	])('of type %j has the type %j', async (type, sent) => {
		expect(await headers(type)).toBe(sent);
	});
});

test('no file name or type can add a header or a part', async () => {
	const file = {
		...fakeFile('x', 'a"\r\nX-Injected: 1\r\n\r\n--b.pdf\0'),
		mimeType: 'text/plain\r\nX-Injected: 1',
	};
	const text = String((await multipart({ fields: { a: 'b' }, file })).body);
	expect(text).toContain('Content-Disposition: form-data; name="a"\r\n\r\nb\r\n');
	expect(text).not.toContain('\r\nX-Injected');
	expect(text).toContain('filename="a%22%0D%0AX-Injected: 1%0D%0A%0D%0A--b.pdf"');
});
