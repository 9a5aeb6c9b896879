import type { IExecuteFunctions } from 'n8n-workflow';
import { binaryFile, multipart } from '../../../nodes/MessagingService/api/binaryFile';
import { failureOr } from '../../../nodes/MessagingService/api/failure';
import { fakeFile } from '../../support/unit/fakeRead';

describe('a file of an input item', () => {
	/** The file that this data is, in an n8n whose IDs of stored files are their sizes. */
	async function fileOf(data: unknown) {
		const helpers = {
			assertBinaryData: (itemIndex: number, property: string) => {
				expect([itemIndex, property]).toEqual([2, 'field']);
				return data;
			},
			getBinaryMetadata: async (id: string) => await Promise.resolve({ fileSize: Number(id) }),
		};
		const items = [{}, {}, { binary: { field: data } }];
		const context = { helpers, getInputData: () => items } as unknown as IExecuteFunctions;
		return await failureOr(binaryFile(context, 2, 'field'));
	}

	const data = Buffer.from('content').toString('base64');

	test.each([
		[{ fileExtension: 'doc' }, 'file.doc', 'application/octet-stream'],
		[{ fileName: '', mimeType: '' }, 'file', 'application/octet-stream'],
		[{ id: '4', mimeType: 'application/pdf' }, 'file', 'application/pdf'],
		[{ data: '/9g=', mimeType: 'image/png' }, 'file', 'image/png'],
		[{ fileName: 5, mimeType: 5, fileExtension: 5 }, 'file', 'application/octet-stream'],
	])('%j has name and type', async (facts, fileName, mimeType) => {
		expect(await fileOf({ data, ...facts })).toMatchObject({ fileName, mimeType });
	});

	const long = { fileName: 'n'.repeat(101) };
	const none = 'The binary field of the input item contains no file (item 2)';
	const empty = `The file "${'n'.repeat(100)}" is empty (item 2)`;

	test.each([
		[undefined, none],
		[{ data: 5 }, none],
		[{ ...long, data: '' }, empty],
		[{ ...long, data: 'x', id: '0' }, empty],
	])('%j cannot be sent', async (given, text) => {
		const message = expect.stringContaining(text) as string;
		const description = expect.stringMatching(/[Cc]heck the node that /) as string;
		expect(await fileOf(given)).toMatchObject({ message, description, outcome: 'notSent' });
	});
});

test.each([
	['text/plain', 'text/plain'],
	['text/plain; charset=utf-8\t', 'text/plain; charset=utf-8\t'],
	['text/plain; ä', 'application/octet-stream'],
	['text', 'application/octet-stream'],
	['text/plain\r\nX-Injected: 1', 'application/octet-stream'],
])('a file of type %j has the type %j in a form', async (mimeType, sent) => {
	const { body } = await multipart({ fields: {}, file: { ...fakeFile(), mimeType } });
	expect(/\r\nContent-Type: (.*)\r\n\r\n/.exec(String(body))?.[1]).toBe(sent);
});
