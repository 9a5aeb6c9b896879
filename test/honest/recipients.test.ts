import { map } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import {
	carriers,
	entered,
	firstPlaces,
	fromItem,
	isEmail,
	questions,
	type Carrier,
} from './carriers';
import { links, mailboxes } from './inputs/addresses';
import { phones } from './inputs/phones';
import { expected, itemOf, listOf, modeOf, modes, ordered, useHonest } from './runs';

const sandbox = useHonest();
const everywhere = { ...carriers, ...questions };

const withPhone = firstPlaces.filter(([, carrier]) => !isEmail(carrier));

const hasCall = ({ parameters }: Carrier) => parameters(fromItem).resource === 'voiceCall';
/** A call needs ten digits. */
const numbersFor = (carrier: Carrier) =>
	phones.filter(([, digits]) => digits.length >= 10 || !hasCall(carrier));
const itemFor = ([phone]: (typeof phones)[number]) => ({ json: { phone, text: 'Hello' } });
const reached = (numbers: typeof phones) =>
	ordered(map(numbers, 1).map((digits) => [digits, 'Hello']));

describe.each(withPhone)('phone numbers: %s', (name, carrier) => {
	const parameters = carrier.parameters(fromItem);

	test.each(modes)('alone, %s', async (mode) => {
		const numbers = numbersFor(carrier);
		const runs = numbers.map((number) => ({ parameters, items: [itemFor(number)], mode }));
		expect(await sandbox.failuresOf(runs)).toEqual([]);
		expect(await sandbox.arrived(carrier.read)).toEqual(reached(numbers));
	});

	if (name in questions) return;
	test('of a list', async () => {
		const numbers = listOf(numbersFor(carrier));
		await sandbox.run(parameters, { items: numbers.map(itemFor), mode: 'webhook' });
		expect(await sandbox.arrived(carrier.read)).toEqual(reached(numbers));
	});
});

const chat = (operation: string, more: INodeParameters): INodeParameters => ({
	resource: 'chatMessage',
	operation,
	phone: '={{ $json.phone }}',
	...more,
});

/** Where a link to a file can be entered. */
const fileLinks: Record<string, Carrier> = {
	image: {
		parameters: ({ text }) => chat('send', { message: 'Hello', imageUrl: text }),
		read: ({ phone, file }) => [[phone, file]],
	},
	media: {
		parameters: ({ text }) => chat('sendMedia', { mediaType: 'image', mediaUrl: text }),
		read: ({ phone, mediaUrl }) => [[phone, mediaUrl]],
	},
	call: {
		parameters: ({ text }) => ({
			resource: 'voiceCall',
			operation: 'create',
			to: '={{ $json.phone }}',
			content: 'audioUrl',
			audioUrl: text,
		}),
		read: ({ to, audioName }) => [[to, audioName]],
	},
	header: carriers['campaign header'] as Carrier,
};

describe.each(Object.entries(fileLinks))('links to files: %s', (_name, carrier) => {
	test('alone', async () => {
		const runs = [...links, ...links].map((link, index) => ({
			parameters: carrier.parameters(entered(link)),
			items: [itemOf(link, index)],
			mode: index < links.length ? modes[0] : modes[1],
		}));
		expect(await sandbox.failuresOf(runs)).toEqual([]);
		expect(await sandbox.arrived(carrier.read)).toEqual(expected(carrier, [...links, ...links]));
	});

	test('of a list', async () => {
		const all = listOf(links);
		const items = all.map(itemOf);
		await sandbox.run(carrier.parameters(fromItem), { items, mode: 'webhook' });
		expect(await sandbox.arrived(carrier.read)).toEqual(expected(carrier, all));
	});
});

describe.each(Object.entries(everywhere).filter(([name]) => /email (text|question)/.test(name)))(
	'addresses: %s',
	(name, { parameters, read }) => {
		const reachedBy = (all: typeof mailboxes) => ordered(all.map(([, to]) => [to, 'Hello']));
		const itemsOf = (all: typeof mailboxes) => all.map(([to]) => ({ json: { to, text: 'Hello' } }));

		test('alone', async () => {
			const both = [...mailboxes, ...mailboxes];
			const runs = itemsOf(both).map((item, index) => ({
				parameters: parameters(fromItem),
				items: [item],
				mode: modeOf(index),
			}));
			expect(await sandbox.failuresOf(runs)).toEqual([]);
			expect(await sandbox.arrived(read)).toEqual(reachedBy(both));
		});

		if (name in questions) return;
		test('of a list', async () => {
			const all = listOf(mailboxes);
			await sandbox.run(parameters(fromItem), { items: itemsOf(all), mode: 'webhook' });
			expect(await sandbox.arrived(read)).toEqual(reachedBy(all));
		});
	},
);
