import { groupBy, pick } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

/** A text as a parameter has it, alone and in a JSON array. */
export interface Value {
	text: string;
	list: string;
}

/** A place of an operation that takes a text to a recipient. */
export interface Carrier {
	/** Parameters with a text, for the item's `phone` and `to`. */
	parameters(value: Value): INodeParameters;
	/** Recipients in the body of a request, each with its text. */
	read(body: IDataObject): Array<[recipient: unknown, text: unknown]>;
	/** Whether the place can hold a text; any if absent. */
	fits?(text: string): boolean;
	/** Reads all texts from the items' field `text`. */
	isColumn?: boolean;
}

/** How a parameter refers to the item's text. */
export const fromItem: Value = { text: '={{ $json.text }}', list: '={{ [$json.text] }}' };

const chat = (operation: string, more: INodeParameters): INodeParameters => ({
	resource: 'chatMessage',
	operation,
	phone: '={{ $json.phone }}',
	...more,
});
const template = (more: INodeParameters) =>
	chat('sendTemplate', { templateName: 'order_update', ...more });
const email = (more: INodeParameters, operation = 'send'): INodeParameters => ({
	resource: 'email',
	operation,
	to: '={{ $json.to }}',
	subject: 'News',
	emailFormat: 'text',
	text: 'Hello',
	...more,
});
const media = (more: INodeParameters) =>
	chat('sendMedia', { mediaType: 'document', mediaUrl: 'https://host.example/a.pdf', ...more });
const voice = (more: INodeParameters): INodeParameters => ({
	resource: 'voiceCall',
	operation: 'create',
	to: '={{ $json.phone }}',
	...more,
});
const campaign = (more: INodeParameters): INodeParameters => ({
	resource: 'bulkCampaign',
	operation: 'create',
	templateName: 'order_update',
	...more,
});

/** Outer spaces of names are removed. */
const isName = (text: string) => text === text.trim();

const isLine = (text: string) => isName(text) && !/[\n\r\u2028]/.test(text);

/** Reads a field of a body with one recipient. */
const field =
	(name: string, recipient = 'phone') =>
	(body: IDataObject): Array<[unknown, unknown]> => [[body[recipient], body[name]]];
const firstParameter = ({ phone, parameters }: IDataObject): Array<[unknown, unknown]> => [
	[phone, (parameters as unknown[])[0]],
];
const rows =
	(textOf: (row: IDataObject) => unknown) =>
	({ recipients }: IDataObject): Array<[unknown, unknown]> =>
		(recipients as IDataObject[]).map((row) => [row.phone, textOf(row)]);

/** The question of a message, above its two links. */
const asked =
	(name: string, recipient?: string) =>
	(body: IDataObject): Array<[unknown, unknown]> =>
		field(
			name,
			recipient,
		)(body).map(([to, text]) => [
			to,
			/^(.*)\n\nApprove: http\S+\nDecline: http\S+$/s.exec(String(text))?.[1],
		]);

const byFields = ({ text }: Value) => ({ parametersUi: { parameter: [{ value: text }] } });
const byJson = ({ list }: Value) => ({ parametersMode: 'json', parametersJson: list });
const firstParam = rows(({ params }) => (params as unknown[])[0]);

/** Where one item makes one message; the first place of an operation fits any text. */
export const carriers: Record<string, Carrier> = {
	'chat text': {
		parameters: ({ text }) => chat('send', { message: text }),
		read: field('message'),
	},
	'template, fields': { parameters: (value) => template(byFields(value)), read: firstParameter },
	'template, JSON': { parameters: (value) => template(byJson(value)), read: firstParameter },
	'media caption': {
		parameters: ({ text }) => media({ caption: text }),
		read: field('caption'),
	},
	'media file name': {
		parameters: ({ text }) => media({ additionalFields: { filename: text } }),
		read: field('filename'),
		fits: isName,
	},
	'campaign row': {
		parameters: () => campaign({ paramsFields: 'text' }),
		read: firstParam,
		isColumn: true,
	},
	'campaign header': {
		parameters: () => campaign({ campaignHeader: 'perRecipient', headerValueField: 'text' }),
		read: rows(({ headerValue }) => headerValue),
		// A header that begins like a link is the link of a file.
		fits: (text) => !/^\s*https?:/i.test(text),
		isColumn: true,
	},
	'campaign name': {
		parameters: () => campaign({ additionalFields: { nameField: 'text' } }),
		read: rows(({ name }) => name),
		fits: isName,
		isColumn: true,
	},
	'campaign JSON': {
		// Entered, it would be the same for all items.
		parameters: ({ list }) =>
			campaign({
				recipientsSource: 'json',
				recipientsJson: `={{ [{ phone: $json.phone, params: ${/^=\{\{(.*)\}\}$/s.exec(list)?.[1] ?? '[$json.text]'} }] }}`,
			}),
		read: firstParam,
	},
	'voice text': {
		parameters: ({ text }) => voice({ text }),
		read: (body) => [[String(body.to).replace('+', ''), body.audioName]],
	},
	'email HTML': {
		parameters: ({ text }) => email({ emailFormat: 'html', html: text }),
		read: field('html', 'to'),
	},
	'email text': { parameters: ({ text }) => email({ text }), read: field('text', 'to') },
	'email subject': {
		parameters: ({ text }) => email({ subject: text }),
		read: field('subject', 'to'),
		fits: isLine,
	},
};

/** Where one message goes out for all items, and the execution waits. */
export const questions: Record<string, Carrier> = {
	'chat question': {
		parameters: ({ text }) => chat('sendAndWait', { message: text }),
		read: asked('message'),
	},
	'template question': {
		parameters: (value) =>
			chat('sendAndWait', {
				sendAs: 'template',
				templateName: 'order_update',
				...byFields(value),
			}),
		read: firstParameter,
	},
	'email question': {
		parameters: ({ text }) => email({ message: text }, 'sendAndWait'),
		read: asked('text', 'to'),
	},
};

const operationOf = ({ parameters }: Carrier): string =>
	Object.values(pick(parameters(fromItem), 'resource', 'operation')).join('.');

/** The places of each operation. */
export const operations: Carrier[][] = Object.values(
	groupBy({ ...carriers, ...questions }, operationOf),
);

/** One place of each operation. */
export const firstPlaces: Array<[name: string, Carrier]> = Object.entries({
	...carriers,
	...questions,
}).filter(([, carrier]) => operations.some(([first]) => first === carrier));

export const isEmail = ({ parameters }: Carrier): boolean =>
	parameters(fromItem).resource === 'email';

/** A text that the user enters, unless n8n would take it for an expression. */
export const entered = (text: string): Value =>
	/^=|\{\{\s*\$/.test(text) ? fromItem : { text, list: JSON.stringify([text]) };
