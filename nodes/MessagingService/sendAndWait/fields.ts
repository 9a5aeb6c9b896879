import { DateTime, Duration } from 'luxon';
import { WAIT_INDEFINITELY, type INodeProperties } from 'n8n-workflow';
import {
	choiceField,
	momentField,
	numberField,
	requiredField,
	shownWhere,
	textField,
} from '../parameters/fields';
import type { Read } from '../parameters/read';
import {
	choiceOf,
	converted,
	requiredTimestampIn,
	someNumber,
	trimmed,
	type Schema,
} from '../parameters/schemas';

export const messageField = requiredField('message', 'Message', {
	typeOptions: { rows: 4 },
	placeholder: 'e.g. May order 1042 be shipped?',
	description:
		'Question for the recipient. Answer links are added below it, so the recipient must be able to reach this n8n. One message is sent for all input items, so it must be the same for all.',
});

const responseTypes = {
	approval: ['Approval', 'The recipient approves or declines with a click and a confirmation'],
	freeText: ['Free Text', 'The recipient writes a response on a page'],
} as const;

const labels = { approve: 'Approve', decline: 'Decline', respond: 'Respond', submit: 'Submit' };

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
						description: 'Which answers the recipient can give',
					}),
					textField('approveLabel', 'Approve Button Label', {
						default: labels.approve,
						description: 'Name of the answer that approves',
					}),
					textField('disapproveLabel', 'Disapprove Button Label', {
						default: labels.decline,
						description: 'Name of the answer that declines',
						displayOptions: { show: { approvalType: ['double'] } },
					}),
				],
			},
		],
	},
];

/** Texts of a link and of its page. */
export const pageOptions: INodeProperties[] = [
	...shownWhere({ '/responseType': ['freeText'] }, [
		textField('messageButtonLabel', 'Message Button Label', {
			default: labels.respond,
			description: 'Name of the link in the message',
		}),
		textField('responseFormButtonLabel', 'Response Form Button Label', {
			default: labels.submit,
			description: 'Name of the button that sends the response',
		}),
	]),
	textField('responseFormDescription', 'Response Form Description', {
		typeOptions: { rows: 2 },
		placeholder: 'e.g. Order 1042, three bunches of roses',
		description: 'Text of the page that a link opens. If empty, the page shows the message.',
	}),
	textField('responseFormTitle', 'Response Form Title', {
		placeholder: 'e.g. Order 1042',
		description: 'Title of the page that a link opens',
	}),
];

export interface Answer {
	/** Whether it approves; absent for a text. */
	approved?: 'true' | 'false';
	link: string;
	button: string;
}

/** A question and the texts of its pages; n8n saves it with the execution. */
export interface Question {
	/** Identifies it among the questions of this node in this execution. */
	id: string;
	title: string;
	text: string;
	answers: Answer[];
}

export function readQuestion(read: Read): Question {
	const isText = read('responseType', choiceOf(responseTypes)) === 'freeText';
	const preset = isText ? 'Your response' : 'Press the button to answer';
	return {
		id: String(read.context.getWorkflowDataProxy(0).$runIndex ?? 0),
		title: read('options.responseFormTitle', trimmed) || preset,
		text: read('options.responseFormDescription', trimmed) || read('message', trimmed),
		answers: isText ? [textAnswer(read)] : approvalAnswers(read),
	};
}

const textAnswer = (read: Read): Answer => ({
	link: read('options.messageButtonLabel', trimmed) || labels.respond,
	button: read('options.responseFormButtonLabel', trimmed) || labels.submit,
});

function approvalAnswers(read: Read): Answer[] {
	const values = 'approvalOptions.values';
	const approve = read(`${values}.approveLabel`, trimmed) || labels.approve;
	const yes = { approved: 'true', link: approve, button: approve } as const;
	if (read(`${values}.approvalType`, choiceOf(approvalTypes)) === 'single') return [yes];
	const decline = read(`${values}.disapproveLabel`, trimmed) || labels.decline;
	return [yes, { approved: 'false', link: decline, button: decline }];
}

const limitTypes = {
	afterTimeInterval: 'After Time Interval',
	atSpecifiedTime: 'At Specified Time',
};
const units = { minutes: 'Minutes', hours: 'Hours', days: 'Days' };

/** How long to wait, named as in the messaging nodes of n8n. */
export const limitOption: INodeProperties = {
	displayName: 'Limit Wait Time',
	name: 'limitWaitTime',
	type: 'fixedCollection',
	default: { values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' } },
	description:
		'When to stop waiting for an answer and output the input items with <code>answered: false</code>. Branch on <code>answered</code> first. Without a limit, the execution waits until somebody answers.',
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				choiceField('limitType', 'Limit Type', limitTypes, 'afterTimeInterval', {
					description: 'What ends the wait',
				}),
				...shownWhere({ limitType: ['afterTimeInterval'] }, [
					numberField('resumeAmount', 'Amount', 1, {
						typeOptions: { minValue: 0, numberPrecision: 2 },
						description: 'How long to wait after sending',
					}),
					choiceField('resumeUnit', 'Unit', units, 'hours', {
						description: 'Minutes, hours or days',
					}),
				]),
				...shownWhere({ limitType: ['atSpecifiedTime'] }, [
					momentField('maxDateAndTime', 'Max Date and Time', {
						description: 'When to continue without an answer',
					}),
				]),
			],
		},
	],
};

const futureIn = (zone: string): Schema<number> =>
	converted(requiredTimestampIn(zone), (time, reject) => {
		if (time > Date.now()) return time;
		const written = DateTime.fromMillis(time, { zone }).toFormat('yyyy-MM-dd HH:mm');
		return reject(`is in the past (${written}, ${zone})`);
	});

const positive = someNumber.refine((value) => value > 0, 'is 0 or negative');

/**
 * Reads how long to wait; throws InputFailure. Call the returned function when the wait starts: its result is
 * the time at which the wait ends.
 */
export function readWaitLimit(read: Read): () => Date {
	const limit = 'options.limitWaitTime.values';
	if (!read.has(limit)) return () => WAIT_INDEFINITELY;
	if (read(`${limit}.limitType`, choiceOf(limitTypes)) === 'atSpecifiedTime') {
		const date = read(`${limit}.maxDateAndTime`, futureIn(read.timeZone));
		return () => new Date(date);
	}
	const amount = read(`${limit}.resumeAmount`, positive);
	const unit = read(`${limit}.resumeUnit`, choiceOf(units));
	const wait = Duration.fromObject({ [unit]: amount }).toMillis();
	return () => new Date(Math.min(Date.now() + wait, WAIT_INDEFINITELY.getTime()));
}
