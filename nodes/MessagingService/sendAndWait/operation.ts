import { isEqual, omit } from 'lodash';
import {
	SEND_AND_WAIT_OPERATION,
	type IExecuteFunctions,
	type INodeProperties,
} from 'n8n-workflow';
import type { ApiRequest } from '../api/client';
import { InputFailure, itemName, publicUrlAdvice } from '../api/failure';
import { itemsAfterWait, requireSignature, runsInsideAnotherNode } from '../n8n';
import type { JoinedOperation } from '../operation';
import type { Read } from '../parameters/read';
import { isPrivate } from '../parameters/schemas';
import { additionalFields } from '../parameters/sharedFields';
import { answerTypeFields, limitOption, pageOptions, readQuestion, readWaitLimit } from './fields';
import type { Link } from './page';
import { storeQuestion } from './receive';

/** The parts in which the operations of the channels differ. */
interface Channel extends Pick<
	JoinedOperation,
	'action' | 'description' | 'recordLookUp' | 'cost'
> {
	/** The recipient and the question. */
	fields: INodeProperties[];
	additional: INodeProperties[];
	options: INodeProperties[];
	/** The request that sends the question with its links; throws InputFailure. */
	request(read: Read, links: Link[]): ApiRequest | Promise<ApiRequest>;
}

/**
 * An operation that sends one message with links. Then the execution waits until a link is used or the
 * limit has passed. n8n recognizes the operation as human in the loop by its `value`.
 */
export const sendAndWait = ({
	request: requestOf,
	additional,
	...channel
}: Channel): JoinedOperation => ({
	...channel,
	kind: 'joined',
	readsFirst: true,
	value: SEND_AND_WAIT_OPERATION,
	name: 'Send and Wait for Response',
	billable: true,
	fields: [...channel.fields, ...answerTypeFields, additionalFields(additional)],
	options: [...channel.options, ...pageOptions, limitOption],
	plan: async (reader, items) => {
		const read = reader(0);
		checkWaiting(read.context);
		const until = readWaitLimit(read);
		const question = readQuestion(read);
		const links = question.answers.map(({ approved, link }) => {
			const query = { question: question.id, ...(approved && { approved }) };
			return { label: link, url: read.context.getSignedResumeUrl(query) };
		});
		checkLinks(links, read);
		const request = await requestOf(read, links);
		for (const item of items.keys())
			if (item > 0) checkSameQuestion(request, await requestOf(reader(item), links), item);
		return {
			plans: [{ request, items: [0], facts: {} }],
			finish: async (context, output) => {
				const { alreadySent, simulated, ...response } = output[0]?.json ?? {};
				// No answer can come: the links lead to another execution, or nobody got them.
				if (alreadySent === true || simulated === true || response.excluded === true) return;
				storeQuestion(context, question, request.form?.fields ?? request.body, response);
				requireSignature(context);
				await context.putExecutionToWait(until());
				markUnanswered(context);
				// The item must not look like an answer, so it does not contain the service's response.
				output.splice(0, Infinity, { json: { waiting: true }, pairedItem: { item: 0 } });
			},
		};
	},
	nameRecord: () => 'the message',
});

/** Throws InputFailure if another item has another question: n8n can wait for the answer to one only. */
function checkSameQuestion(first: ApiRequest, other: ApiRequest, itemIndex: number): void {
	const [one, another] = [first, other].map(({ body, form }) => form?.fields ?? body);
	if (isEqual(one, another)) return;
	throw new InputFailure(
		`The question or the recipient of ${itemName(itemIndex)} differs from that of ${itemName(0)}, but n8n can wait for one answer only`,
		"To ask several people at once, put this node into a sub-workflow. Call it from a Loop Over Items node with Execute Sub-workflow, option 'Wait For Sub-Workflow Completion' off. To ask only about the first item, turn on Execute Once in the settings of this node.",
	);
}

/** Throws InputFailure if the recipient cannot open the links because n8n has no public address. */
function checkLinks([link]: Link[], { account }: Read): void {
	if (!link || account.isPrivate || !isPrivate(link.url)) return;
	throw new InputFailure(
		`The recipient cannot open the answer links: ${new URL(link.url).origin} is not a public address`,
		publicUrlAdvice,
	);
}

/** When the time is over, n8n outputs the input items of the waiting node. They must not look like an answer. */
function markUnanswered(context: IExecuteFunctions): void {
	for (const item of itemsAfterWait(context))
		item.json = { answered: false, ...omit(item.json, ['answered', 'data']) };
}

/** Throws InputFailure if the execution cannot wait for an answer. */
function checkWaiting(context: IExecuteFunctions): void {
	if (!runsInsideAnotherNode(context)) return;
	throw context.getExecutionId()
		? new InputFailure(
				'Send and Wait cannot wait for an answer here, because the agent that calls it continues at once',
				'Use AI Agent version 3 or later, which waits for the answer. To update it, delete the agent node and add it again.',
			)
		: new InputFailure(
				'Send and Wait cannot wait for an answer here, because an MCP Server Trigger cannot wait',
				'Use another operation in this tool, or put the question into a workflow and offer that workflow as a tool.',
			);
}
