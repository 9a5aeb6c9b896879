import {
	SEND_AND_WAIT_OPERATION,
	type IDataObject,
	type IExecuteFunctions,
	type INodeProperties,
} from 'n8n-workflow';
import { optionsField } from '../parameters/options';
import type { JoinedOperation } from '../operation';
import type { Read } from '../parameters/read';
import type { ApiRequest } from '../api/client';
import {
	answerTypeFields,
	asksForText,
	labelOf,
	mayDecline,
	pageOptions,
	respondLabel,
} from './fields';
import { questionOf, rememberAsked } from './asked';
import { limitOption, readWaitLimit } from './limit';
import type { Link } from './message';

/** What the operations of the channels differ in. */
interface Channel extends Pick<JoinedOperation, 'action' | 'description' | 'records' | 'cost'> {
	/** The recipient and the question. */
	fields: INodeProperties[];
	options?: INodeProperties[];
	/** The request that sends the question with its links; throws InputFailure. */
	request(read: Read, links: Link[]): ApiRequest & { body: IDataObject };
}

/**
 * An operation that sends one message with links, after which the execution waits until one of
 * them is used or the limit passes. n8n knows it by its name (human in the loop).
 */
export const sendAndWait = ({
	fields,
	options = [],
	request: requestOf,
	...own
}: Channel): JoinedOperation => ({
	...own,
	kind: 'joined',
	value: SEND_AND_WAIT_OPERATION,
	name: 'Send and Wait for Response',
	billable: true,
	fields: [
		...fields,
		...answerTypeFields,
		optionsField({
			billable: true,
			batching: false,
			own: [...options, ...pageOptions, limitOption],
		}),
	],
	plan: (reader) => {
		const read = reader(0);
		const until = readWaitLimit(read);
		const request = requestOf(read, readLinks(read));
		return {
			plans: [{ request, items: [0], facts: {} }],
			finish: async (context, [sent]) => {
				// The links in it lead to the execution that sent it, or nobody got them: here no answer can come.
				if (sent?.json.alreadySent === true || sent?.json.simulated === true) return;
				rememberAsked(context, questionOf(read), request.body, sent);
				await wait(context, until());
			},
		};
	},
	nameRecord: () => 'the message',
});

/** The ways to answer; throws InputFailure. */
function readLinks(read: Read): Link[] {
	if (asksForText(read)) {
		return [{ label: respondLabel(read), url: read.resumeUrl(questionOf(read)) }];
	}
	const answers = mayDecline(read) ? [true, false] : [true];
	return answers.map((approved) => ({
		label: labelOf(read, approved),
		url: read.resumeUrl({ ...questionOf(read), approved: String(approved) }),
	}));
}

/**
 * Lets the execution wait for the answer to what was sent, and says so where more input came than
 * one message is made from.
 */
async function wait(context: IExecuteFunctions, until: Date): Promise<void> {
	const { length } = context.getInputData();
	if (length > 1) {
		context.addExecutionHints({
			message: `One message was sent for all ${length} input items, with the values of the first. Its answer continues the workflow with one item.`,
			location: 'outputPane',
		});
	}
	requireSignature(context);
	await context.putExecutionToWait(until);
}

/** Newer versions of n8n check the signature of every link by themselves and have no such method. */
function requireSignature(
	context: IExecuteFunctions & { setSignatureValidationRequired?(): void },
) {
	context.setSignatureValidationRequired?.();
}
