import { SEND_AND_WAIT_OPERATION, type IDataObject, type INodeProperties } from 'n8n-workflow';
import { optionsField } from '../parameters/sendOptions';
import type { JoinedOperation } from '../actions/operation';
import type { Read, ReadValue } from '../parameters/read';
import { requiredText } from '../parameters/schemas';
import { pageOptions, questionFields } from './fields';
import { limitOption, readWaitLimit } from './limit';
import type { Question } from './message';
import { asksForText, labelOf, mayDecline, respondLabel } from './texts';

/** What the operations of the channels differ in. */
interface Channel extends Pick<JoinedOperation, 'action' | 'description' | 'id'> {
	path: string;
	/** Fields before the question. */
	fields: INodeProperties[];
	options?: INodeProperties[];
	/** The body of the request that sends the question; throws InputFailure. */
	body(read: ReadValue, question: Question): IDataObject;
}

/**
 * An operation that sends one message with links, after which the execution waits until one of
 * them is used or the limit passes. n8n knows it by its name (human in the loop).
 */
export const sendAndWait = ({
	path,
	fields,
	options = [],
	body,
	...own
}: Channel): JoinedOperation => ({
	...own,
	value: SEND_AND_WAIT_OPERATION,
	name: 'Send and Wait for Response',
	billable: true,
	fields: [
		...fields,
		...questionFields,
		optionsField({
			billable: true,
			batching: false,
			own: [...options, ...pageOptions, limitOption],
		}),
	],
	requests: (read) => {
		const bodyWith = (urlOf: Read['resumeUrl']) => body(read, readQuestion(read, urlOf));
		const request = {
			method: 'POST' as const,
			path,
			body: bodyWith(read.resumeUrl),
			lasting: bodyWith(() => ''),
		};
		return {
			requests: [{ request, items: [0], facts: {} }],
			notes: [],
			waitUntil: readWaitLimit(read),
		};
	},
	nameRecord: () => 'the message',
});

/** The message and its links; throws InputFailure. */
function readQuestion(read: ReadValue, urlOf: Read['resumeUrl']): Question {
	const message = read('message', 'Message', requiredText);
	if (asksForText(read)) {
		return { message, links: [{ label: respondLabel(read), url: urlOf({}) }] };
	}
	const answers = mayDecline(read) ? [true, false] : [true];
	const links = answers.map((approved) => ({
		label: labelOf(read, approved),
		url: urlOf({ approved: String(approved) }),
	}));
	return { message, links };
}
