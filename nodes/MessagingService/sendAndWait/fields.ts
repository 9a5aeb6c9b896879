import type { INodeProperties } from 'n8n-workflow';
import { fieldAt, type ReadValue } from '../parameters/read';
import { optionsField } from '../parameters/options';
import { oneOf, trimmed } from '../parameters/schemas';

/** The question itself. */
export const messageField: INodeProperties = {
	displayName: 'Message',
	name: 'message',
	type: 'string',
	typeOptions: { rows: 4 },
	required: true,
	default: '',
	placeholder: 'e.g. May order 1042 be shipped?',
	description:
		'Question to the recipient. The links to answer are added below it; they lead to this n8n, which the recipient must be able to reach. However many items come in, one message is sent, with the values of the first, and the first answer counts.',
};

/** How the recipient answers, named as in the messaging nodes of n8n. */
export const answerTypeFields: INodeProperties[] = [
	{
		displayName: 'Response Type',
		name: 'responseType',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Approval',
				value: 'approval',
				description: 'The recipient approves or declines with a click and a confirmation',
			},
			{
				name: 'Free Text',
				value: 'freeText',
				description: 'The recipient writes a response on a page',
			},
		],
		default: 'approval',
		description: 'How the recipient answers',
	},
	{
		displayName: 'Approval Options',
		name: 'approvalOptions',
		type: 'fixedCollection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: { responseType: ['approval'] } },
		options: [
			{
				displayName: 'Values',
				name: 'values',
				values: [
					{
						displayName: 'Type of Approval',
						name: 'approvalType',
						type: 'options',
						options: [
							{ name: 'Approve and Disapprove', value: 'double' },
							{ name: 'Approve Only', value: 'single' },
						],
						default: 'double',
						description: 'Which answers there are',
					},
					{
						displayName: 'Approve Button Label',
						name: 'approveLabel',
						type: 'string',
						default: 'Approve',
						description: 'Name of the answer that approves',
					},
					{
						displayName: 'Disapprove Button Label',
						name: 'disapproveLabel',
						type: 'string',
						default: 'Decline',
						description: 'Name of the answer that declines',
						displayOptions: { show: { approvalType: ['double'] } },
					},
				],
			},
		],
	},
];

const forFreeText = { show: { '/responseType': ['freeText'] } };

/** Texts of the link and of the page that it opens. */
export const pageOptions: INodeProperties[] = [
	{
		displayName: 'Message Button Label',
		name: 'messageButtonLabel',
		type: 'string',
		default: 'Respond',
		description: 'Name of the link in the message',
		displayOptions: forFreeText,
	},
	{
		displayName: 'Response Form Button Label',
		name: 'responseFormButtonLabel',
		type: 'string',
		default: 'Submit',
		description: 'Name of the button that sends the response',
		displayOptions: forFreeText,
	},
	{
		displayName: 'Response Form Description',
		name: 'responseFormDescription',
		type: 'string',
		typeOptions: { rows: 2 },
		default: '',
		placeholder: 'e.g. Order 1042, three bunches of roses',
		description: 'Text of the page that a link opens. The message is shown if empty.',
	},
	{
		displayName: 'Response Form Title',
		name: 'responseFormTitle',
		type: 'string',
		default: '',
		placeholder: 'e.g. Order 1042',
		description: 'Title of the page that a link opens',
	},
];

/** All that a question and its pages are made from. */
export const answerFields = [messageField, ...answerTypeFields, optionsField({ own: pageOptions })];

/** A text, or the default of its field where the user has emptied it. */
const textOr = (read: ReadValue, name: string): string =>
	read(name, trimmed) || String(fieldAt(answerFields, name).default);

const approval = 'approvalOptions.values';

/** Whether the recipient writes a text instead of choosing. */
export const asksForText = (read: ReadValue): boolean =>
	read('responseType', oneOf(['approval', 'freeText'] as const)) === 'freeText';

/** Whether the recipient may decline. */
export const mayDecline = (read: ReadValue): boolean =>
	read(`${approval}.approvalType`, oneOf(['single', 'double'] as const)) === 'double';

/** Label of the answer that approves or declines. */
export const labelOf = (read: ReadValue, approved: boolean): string =>
	approved ? textOr(read, `${approval}.approveLabel`) : textOr(read, `${approval}.disapproveLabel`);

/** Label of the link to the page for a text. */
export const respondLabel = (read: ReadValue): string => textOr(read, 'options.messageButtonLabel');

/** Title and text of the page that a link opens, and the label of its button. */
export function readPage(
	read: ReadValue,
	approved: boolean,
): { title: string; text: string; button: string } {
	const isText = asksForText(read);
	const own = (name: string) => read(`options.responseForm${name}`, trimmed);
	return {
		title: own('Title') || (isText ? 'Your response' : 'Confirm your response'),
		text: own('Description') || read('message', trimmed),
		button: isText ? textOr(read, 'options.responseFormButtonLabel') : labelOf(read, approved),
	};
}
