import type { INodeProperties } from 'n8n-workflow';
import { fieldAt, type ReadValue } from '../parameters/read';
import { choiceField, shownWhere, textField } from '../parameters/fields';
import { optionsField } from '../parameters/options';
import { choiceOf, trimmed } from '../parameters/schemas';

/** The question itself. */
export const messageField = textField('message', 'Message', {
	typeOptions: { rows: 4 },
	required: true,
	placeholder: 'e.g. May order 1042 be shipped?',
	description:
		'Question to the recipient. The links to answer are added below it; they lead to this n8n, which the recipient must be able to reach. However many items come in, one message is sent, with the values of the first, and the first answer counts.',
});

const responseTypes = {
	approval: ['Approval', 'The recipient approves or declines with a click and a confirmation'],
	freeText: ['Free Text', 'The recipient writes a response on a page'],
} as const;

const approvalTypes = { single: 'Approve Only', double: 'Approve and Disapprove' };

/** How the recipient answers, named as in the messaging nodes of n8n. */
export const answerTypeFields: INodeProperties[] = [
	choiceField('responseType', 'Response Type', responseTypes, 'approval', {
		noDataExpression: true,
		description: 'How the recipient answers',
	}),
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
					choiceField('approvalType', 'Type of Approval', approvalTypes, 'double', {
						description: 'Which answers there are',
					}),
					textField('approveLabel', 'Approve Button Label', {
						default: 'Approve',
						description: 'Name of the answer that approves',
					}),
					textField('disapproveLabel', 'Disapprove Button Label', {
						default: 'Decline',
						description: 'Name of the answer that declines',
						displayOptions: { show: { approvalType: ['double'] } },
					}),
				],
			},
		],
	},
];

/** Texts of the link and of the page that it opens. */
export const pageOptions: INodeProperties[] = [
	...shownWhere({ '/responseType': ['freeText'] }, [
		textField('messageButtonLabel', 'Message Button Label', {
			default: 'Respond',
			description: 'Name of the link in the message',
		}),
		textField('responseFormButtonLabel', 'Response Form Button Label', {
			default: 'Submit',
			description: 'Name of the button that sends the response',
		}),
	]),
	textField('responseFormDescription', 'Response Form Description', {
		typeOptions: { rows: 2 },
		placeholder: 'e.g. Order 1042, three bunches of roses',
		description: 'Text of the page that a link opens. The message is shown if empty.',
	}),
	textField('responseFormTitle', 'Response Form Title', {
		placeholder: 'e.g. Order 1042',
		description: 'Title of the page that a link opens',
	}),
];

/** All that a question and its pages are made from. */
export const answerFields = [messageField, ...answerTypeFields, optionsField({ own: pageOptions })];

/** A text, or the default of its field where the user has emptied it. */
const textOr = (read: ReadValue, name: string): string =>
	read(name, trimmed) || String(fieldAt(answerFields, name).default);

const approval = 'approvalOptions.values';

/** Whether the recipient writes a text instead of choosing. */
export const asksForText = (read: ReadValue): boolean =>
	read('responseType', choiceOf(responseTypes)) === 'freeText';

/** Whether the recipient may decline. */
export const mayDecline = (read: ReadValue): boolean =>
	read(`${approval}.approvalType`, choiceOf(approvalTypes)) === 'double';

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
