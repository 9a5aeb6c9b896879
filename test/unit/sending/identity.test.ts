import type { BinaryFile } from '../../../nodes/MessagingService/api/binaryFile';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { sendOf } from '../../../nodes/MessagingService/sending/identity';

const named = (fileName: string) => ({ fileName }) as BinaryFile;

const source = (
	fields: Record<string, string>,
	{ form, own }: { form?: BinaryFile; own?: BinaryFile } = {},
) => {
	const content = form ? { form: { fields, file: form } } : { body: fields };
	const request = { endpoint: endpoints.sendTemplate, ...content };
	return sendOf({ items: [0], place: '0', plan: { request, file: own } });
};

test.each<[Record<string, string>, Record<string, string>, boolean]>([
	[{ phone: '1' }, { phone: '2' }, false],
	[{ phone: '1' }, { phone: '+1' }, true],
	[{ phone: '447700900210' }, { phone: '44 (770) 090-0210' }, true],
	[{ phone: '12' }, { phone: '1002' }, false],
	[{ to: 'a@b.example, c@b.example' }, { to: 'c@b.example, A@b.example, a@b.example' }, true],
	[{ to: 'ac@b.example' }, { to: 'ca@b.example' }, false],
	[{ to: 'a@b.example' }, { to: '+a@b.example' }, false],
	[{ to: 'ren\u00e9@b.example' }, { to: 'rene\u0301@b.example' }, true],
])('%j and %j reach the same, however the request is written: %s', (one, other, isSame) => {
	expect(source(one, { form: named('a') })?.audience === source(other)?.audience).toBe(isSame);
	expect(source(one)?.content === source(other)?.content).toBe(isSame);
});

test.each(['form', 'own'])('another file (%s) is another content', (where) => {
	const of = (name: string) => source({ phone: '1' }, { [where]: named(name) })?.content;
	expect(of('a')).not.toBe(of('b'));
});
