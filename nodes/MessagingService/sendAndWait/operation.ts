import { invoke } from 'lodash';
import { SEND_AND_WAIT_OPERATION, type IDataObject, type INodeProperties } from 'n8n-workflow';
import type { ApiRequest } from '../api/client';
import type { JoinedOperation } from '../operation';
import type { Read } from '../parameters/read';
import { answerTypeFields, limitOption, pageOptions, readQuestion, readWaitLimit } from './fields';
import type { Link } from './page';
import { rememberAsked } from './receive';

/** What the operations of the channels differ in. */
interface Channel extends Pick<JoinedOperation, 'action' | 'description' | 'records' | 'cost'> {
	/** The recipient and the question. */
	fields: INodeProperties[];
	options: INodeProperties[];
	/** The request that sends the question with its links; throws InputFailure. */
	request(read: Read, links: Link[]): ApiRequest & { body: IDataObject };
}

/**
 * An operation that sends one message with links, after which the execution waits until one of
 * them is used or the limit passes. n8n knows it by its name (human in the loop).
 */
export const sendAndWait = ({ request: requestOf, ...own }: Channel): JoinedOperation => ({
	...own,
	kind: 'joined',
	value: SEND_AND_WAIT_OPERATION,
	name: 'Send and Wait for Response',
	billable: true,
	fields: [...own.fields, ...answerTypeFields],
	options: [...own.options, ...pageOptions, limitOption],
	plan: (reader) => {
		const read = reader(0);
		const until = readWaitLimit(read);
		const question = readQuestion(read);
		const links = question.answers.map(({ approved, link }) => {
			const query = { question: question.question, ...(approved && { approved }) };
			return { label: link, url: read.context.getSignedResumeUrl(query) };
		});
		const request = requestOf(read, links);
		return {
			plans: [{ request, items: [0], facts: {} }],
			finish: async (context, [sent]) => {
				const { alreadySent, simulated, ...response } = sent?.json ?? {};
				// The links in it lead to the execution that sent it, or nobody got them: here no answer can come.
				if (alreadySent === true || simulated === true || response.excluded === true) return;
				rememberAsked(context, question, request.body, response);
				const { length } = context.getInputData();
				if (length > 1) {
					context.addExecutionHints({
						message: `One message was sent for all ${length} input items, with the values of the first. Its answer continues the workflow with one item.`,
						location: 'outputPane',
					});
				}
				// Newer versions of n8n check the signature of every link by themselves and have no such method.
				invoke(context, 'setSignatureValidationRequired');
				await context.putExecutionToWait(until());
			},
		};
	},
	nameRecord: () => 'the message',
});
