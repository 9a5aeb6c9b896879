import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import {
	carriers,
	entered,
	firstPlaces,
	fromItem,
	isEmail,
	questions,
	type Carrier,
	type Value,
} from './carriers';
import { links, mailboxes } from './inputs/addresses';
import { phones } from './inputs/phones';
import { itemOf, listOf, modes, ordered, person, useHonest, type Sent } from './runs';

const sandbox = useHonest();

/** An input: the parameters and item that have it, and what must reach whom. */
interface Input {
	value: Value;
	item: INodeExecutionData;
	sent: Sent;
}

/** Sends every input alone, by hand and in production, and then as one list of many. */
function allArrive(name: string, { parameters, read }: Carrier, all: Input[]): void {
	const reached = (inputs: Input[]) => ordered(inputs.map(({ sent }) => sent));

	test.each(modes)('alone, %s', async (mode) => {
		const runs = all.map(({ value, item }) => ({
			parameters: parameters(value),
			items: [item],
			mode,
		}));
		expect(await sandbox.failuresOf(runs)).toEqual([]);
		expect(await sandbox.arrived(read)).toEqual(reached(all));
	});

	// A question has one recipient.
	if (name in questions) return;
	test('of a list', async () => {
		const list = listOf(all);
		const items = list.map(({ item }) => item);
		await sandbox.run(parameters(fromItem), { items, mode: 'webhook' });
		expect(await sandbox.arrived(read)).toEqual(reached(list));
	});
}

const of = ({ parameters }: Carrier) => parameters(fromItem).resource;

/** A call needs ten digits. */
const phonesOf = (carrier: Carrier): Input[] =>
	phones
		.filter(([, digits]) => digits.length >= 10 || of(carrier) !== 'voiceCall')
		.map(([phone, digits]) => ({
			value: fromItem,
			item: { json: { phone, text: 'Hello' } },
			sent: [digits, 'Hello'],
		}));

describe.each(firstPlaces.filter(([, carrier]) => !isEmail(carrier)))(
	'phone numbers: %s',
	(name, carrier) => allArrive(name, carrier, phonesOf(carrier)),
);

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

describe.each(Object.entries(fileLinks))('links to files: %s', (name, carrier) => {
	const all = links.map((link, index): Input => ({
		value: entered(link),
		item: itemOf(link, index),
		sent: [person(index).phone, link],
	}));
	allArrive(name, carrier, all);
});

const withText = Object.entries({ ...carriers, ...questions }).filter(([name]) =>
	/email (text|question)/.test(name),
);

describe.each(withText)('addresses: %s', (name, carrier) => {
	const all = mailboxes.map(([written, to]): Input => ({
		value: fromItem,
		item: { json: { to: written, text: 'Hello' } },
		sent: [to, 'Hello'],
	}));
	allArrive(name, carrier, all);
});
