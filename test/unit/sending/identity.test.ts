import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { BinaryFile } from '../../../nodes/MessagingService/api/binaryFile';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { inputReader, serviceOf, sourceOf } from '../../../nodes/MessagingService/sending/identity';

const context = (members: object) => members as unknown as IExecuteFunctions;

test('a service is an address, however its host is written', () => {
	const one = serviceOf('https://host.example/api/v1');
	expect(serviceOf('https://HOST.example:443/api/v1')).toBe(one);
	expect(serviceOf('http://host.example/api/v1')).toBe(one);
	expect(serviceOf('https://host.example/api/v2')).not.toBe(one);
});

const named = (fileName: string) => ({ fileName }) as BinaryFile;

const source = (
	fields: Record<string, string>,
	{ form, own }: { form?: BinaryFile; own?: BinaryFile } = {},
) => {
	const content = form ? { form: { fields, file: form } } : { body: fields };
	const request = { endpoint: endpoints.sendTemplate, ...content };
	return sourceOf({ items: [0], place: '0', plan: { request, file: own } }, 'service');
};

test.each<[Record<string, string>, Record<string, string>, boolean]>([
	[{ phone: '1' }, { phone: '2' }, false],
	[{ phone: '1' }, { phone: '+1' }, true],
	[{ phone: '1' }, { phone: '001' }, true],
	[{ phone: '447700900210' }, { phone: '44 (770) 090-0210' }, true],
	[{ phone: '12' }, { phone: '1002' }, false],
	[{ to: 'a@b.example, c@b.example' }, { to: 'c@b.example, A@b.example, a@b.example' }, true],
	[{ to: 'ac@b.example' }, { to: 'ca@b.example' }, false],
	[{ to: 'a@b.example' }, { to: '+a@b.example' }, false],
	[{ to: 'ren\u00e9@b.example' }, { to: 'rene\u0301@b.example' }, true],
])('%j and %j reach the same, however the request is written: %s', (one, other, isSame) => {
	expect(source(one, { form: named('a') })?.to === source(other)?.to).toBe(isSame);
	expect(source(one)?.content === source(other)?.content).toBe(isSame);
});

test.each(['form', 'own'])('another file (%s) is another content', (where) => {
	const of = (name: string) => source({ phone: '1' }, { [where]: named(name) })?.content;
	expect(of('a')).not.toBe(of('b'));
});

describe('the input of a send', () => {
	const print = (input: INodeExecutionData[], items = [0], type = 'messagingService') =>
		inputReader(context({ getInputData: () => input, getNode: () => ({ type }) }))(items);
	const file = { fileName: 'a.png', mimeType: 'image/png', fileSize: '1 kB', data: 'AAAA' };
	const withFile = (changes: object) => [{ json: {}, binary: { data: { ...file, ...changes } } }];

	test('is what its items hold, in their order', () => {
		const items = Array.from({ length: 250 }, (_, index) => ({ json: { index } }));
		const all = items.map((_, index) => index);
		const one = print(items, all);
		expect(print(structuredClone(items), all)).toBe(one);
		for (const changed of [0, 99, 100, 199, 200, 249]) {
			expect(print(items.with(changed, { json: { index: -1 } }), all)).not.toBe(one);
		}
		expect(print(items, [1, 0])).not.toBe(print(items, [0, 1]));
		expect(print(items, [1])).not.toBe(print(items, [0]));
	});

	test('is another one where an item is gone', () => {
		for (const type of ['messagingService', 'messagingServiceTool']) {
			const before = [{ json: { a: 1 } }, { json: { a: 2 } }];
			expect(print(before.slice(1), [0, 1], type)).not.toBe(print(before, [0, 1], type));
		}
	});

	test('of a tool is the same in each call of it', () => {
		const call = (toolCallId: string) => [{ json: { a: 1, toolCallId } }];
		expect(print(call('x'), [0], 'messagingServiceTool')).toBe(
			print(call('y'), [0], 'messagingServiceTool'),
		);
		expect(print([{ json: { a: 2 } }], [0], 'messagingServiceTool')).not.toBe(
			print(call('x'), [0], 'messagingServiceTool'),
		);
		expect(print(call('x'))).not.toBe(print(call('y')));
	});

	test('has its files, by name, kind and size, and by content where n8n keeps it there', () => {
		const one = print(withFile({}));
		for (const changes of [
			{ fileName: 'b.png' },
			{ mimeType: 'image/jpeg' },
			{ fileSize: '2 kB' },
			{ data: 'BBBB' },
		]) {
			expect(print(withFile(changes))).not.toBe(one);
		}
		expect(print([{ json: {}, binary: { other: file } }])).not.toBe(one);
		// n8n stores the same file anew in each execution.
		const kept = print(withFile({ id: 'filesystem:1', data: 'filesystem' }));
		expect(print(withFile({ id: 'filesystem:2', data: 'filesystem' }))).toBe(kept);
		expect(print(withFile({ id: 's3:1', data: 's3' }))).toBe(kept);
		expect(print([{ json: {}, binary: {} }])).toBe(print([{ json: {} }]));
		expect(print([{ json: {} }])).not.toBe(one);
	});
});
