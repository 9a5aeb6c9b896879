import { filter, map, pick, startCase } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { checkSetup } from './account/checkSetup.operation';
import { getBalance } from './account/getBalance.operation';
import { createCampaign } from './bulkCampaign/create.operation';
import { getOutcome } from './bulkCampaign/getOutcome.operation';
import { getManyMessages, getMessage, getStats } from './chatMessage/records.operations';
import { sendMessageAndWait, sendText } from './chatMessage/send.operation';
import { sendMedia } from './chatMessage/sendMedia.operation';
import { sendTemplate } from './chatMessage/sendTemplate.operation';
import { sendEmail, sendEmailAndWait } from './email/operations';
import { upload } from './media/upload.operation';
import { hasParameters, type Operation } from '../operation';
import { getManyNumbers } from './phoneNumber/getMany.operation';
import { createCall } from './voiceCall/create.operation';
import { getCall, getManyCalls } from './voiceCall/callLog.operations';
import { createWebhook, deleteWebhook, getManyWebhooks } from './webhook/operations';
import { shownWhere } from '../parameters/fields';
import { optionsField, optOutsNotice, toolNotice } from '../parameters/options';
import { subtitleOf } from '../parameters/sharedFields';

/** Everything the node can do. The first operation of each resource is the default. */
const resources: Record<string, Operation[]> = {
	account: [getBalance, checkSetup],
	bulkCampaign: [createCampaign, getOutcome],
	chatMessage: [
		sendTemplate,
		getMessage,
		getManyMessages,
		getStats,
		sendMessageAndWait,
		sendMedia,
		sendText,
	],
	email: [sendEmail, sendEmailAndWait],
	media: [upload],
	phoneNumber: [getManyNumbers],
	voiceCall: [createCall, getCall, getManyCalls],
	webhook: [createWebhook, deleteWebhook, getManyWebhooks],
};

const all = Object.entries(resources).flatMap(([resource, operations]) =>
	operations.map((operation) => {
		const { value, name = startCase(value), kind, billable, fields, options: extra } = operation;
		const batching = kind === 'item' && hasParameters(operation);
		const options = optionsField({ billable, batching, extra });
		return {
			resource,
			key: `${resource}.${value}`,
			label: `${name}: ${startCase(resource)}`,
			operation: {
				...operation,
				name,
				fields: billable ? [...fields, toolNotice, options, optOutsNotice] : [...fields, options],
			},
		};
	}),
);

/** The operation that the parameters `resource` and `operation` name; undefined if there is none. */
export const findOperation = (resource: string, operation: string): Operation | undefined =>
	all.find(({ key }) => key === `${resource}.${operation}`)?.operation;

/** The node's subtitle: the labels of the chosen operation and resource, e.g. "Send Template: Chat Message". */
export const subtitle = subtitleOf(
	Object.fromEntries(all.map(({ key, label }) => [key, label])),
	'$parameter["resource"] + "." + $parameter["operation"]',
);

/** A choice that other fields depend on, so it cannot be an expression. */
const choice = (
	displayName: string,
	options: INodePropertyOptions[],
	preset = options[0]?.value,
): INodeProperties => ({
	displayName,
	name: displayName.toLowerCase(),
	type: 'options',
	noDataExpression: true,
	options: [...options].sort((a, b) => a.name.localeCompare(b.name)),
	default: preset,
});

export const properties: INodeProperties[] = [
	choice(
		'Resource',
		Object.keys(resources).map((value) => ({ name: startCase(value), value })),
		'chatMessage',
	),
	...Object.keys(resources).flatMap((resource) => {
		const operations = map(filter(all, { resource }), 'operation');
		const named = operations.map((one) => pick(one, ['name', 'value', 'action', 'description']));
		return shownWhere({ resource: [resource] }, [choice('Operation', named)]);
	}),
	...all.flatMap(({ resource, operation: { value, fields } }) =>
		shownWhere({ resource: [resource], operation: [value] }, fields),
	),
];
