import { invoke } from 'lodash';
import {
	SEND_AND_WAIT_OPERATION,
	type IExecuteFunctions,
	type INodeProperties,
} from 'n8n-workflow';
import type { ApiRequest } from '../api/client';
import { InputFailure } from '../api/failure';
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
	request(read: Read, links: Link[]): ApiRequest | Promise<ApiRequest>;
}

/**
 * An operation that sends one message with links, after which the execution waits until one of
 * them is used or the limit passes. n8n knows it by its name (human in the loop).
 */
export const sendAndWait = ({ request: requestOf, ...own }: Channel): JoinedOperation => ({
	...own,
	kind: 'joined',
	readsFirst: true,
	value: SEND_AND_WAIT_OPERATION,
	name: 'Send and Wait for Response',
	billable: true,
	fields: [...own.fields, ...answerTypeFields],
	options: [...own.options, ...pageOptions, limitOption],
	plan: async (reader) => {
		const read = reader(0);
		checkWaiting(read.context);
		const until = readWaitLimit(read);
		const question = readQuestion(read);
		const links = question.answers.map(({ approved, link }) => {
			const query = { question: question.question, ...(approved && { approved }) };
			return { label: link, url: read.context.getSignedResumeUrl(query) };
		});
		const request = await requestOf(read, links);
		return {
			plans: [{ request, items: [0], facts: {} }],
			finish: async (context, output) => {
				const { alreadySent, simulated, ...response } = output[0]?.json ?? {};
				// The links in it lead to the execution that sent it, or nobody got them: here no answer can come.
				if (alreadySent === true || simulated === true || response.excluded === true) return;
				rememberAsked(context, question, request.form?.fields ?? request.body, response);
				const { length } = context.getInputData();
				if (length > 1) {
					context.addExecutionHints({
						message: `One message was sent for all ${length} input items, with the values of the first. The answer continues the workflow with one item.`,
						location: 'outputPane',
					});
				}
				// Newer versions of n8n check the signature of every link by themselves and have no such method.
				invoke(context, 'setSignatureValidationRequired');
				await context.putExecutionToWait(until());
				// Whoever is given this must not take the service's success for an answer.
				output.splice(0, Infinity, { json: { waiting: true }, pairedItem: { item: 0 } });
			},
		};
	},
	nameRecord: () => 'the message',
});

/**
 * Throws InputFailure where the execution cannot wait: n8n runs the tools of older agents and of its MCP
 * Server Trigger inside another node, which goes on at once and never hears the answer.
 */
function checkWaiting(context: IExecuteFunctions): void {
	if (!('getNextRunIndex' in context)) return;
	throw context.getExecutionId()
		? new InputFailure(
				'Send and Wait cannot wait for an answer here, because the agent that calls it continues at once',
				'Use AI Agent version 3 or later, which waits for the answer. To update it, delete the agent node and add it again.',
			)
		: new InputFailure(
				'Send and Wait cannot wait for an answer here, because an MCP Server Trigger cannot wait',
				'Use another operation in this tool, or let the MCP tool start a workflow that asks the question.',
			);
}
