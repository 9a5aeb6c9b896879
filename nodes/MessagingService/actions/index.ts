import type { INodeProperties } from 'n8n-workflow';
import { checkSetup } from './account/checkSetup.operation';
import { getBalance } from './account/getBalance.operation';
import { createCampaign } from './bulkCampaign/create.operation';
import { getOutcome } from './bulkCampaign/getOutcome.operation';
import { getManyMessages } from './chatMessage/getMany.operation';
import { getStats } from './chatMessage/getStats.operation';
import { sendText } from './chatMessage/send.operation';
import { sendMessageAndWait } from './chatMessage/sendAndWait.operation';
import { sendMedia } from './chatMessage/sendMedia.operation';
import { sendTemplate } from './chatMessage/sendTemplate.operation';
import { sendEmail } from './email/send.operation';
import { sendEmailAndWait } from './email/sendAndWait.operation';
import { upload } from './media/upload.operation';
import type { Operation, Resource } from '../operation';
import { getManyNumbers } from './phoneNumber/getMany.operation';
import { createCall } from './voiceCall/create.operation';
import { getCall } from './voiceCall/get.operation';
import { getManyCalls } from './voiceCall/getMany.operation';
import { createWebhook } from './webhook/create.operation';
import { deleteWebhook } from './webhook/delete.operation';
import { getManyWebhooks } from './webhook/getMany.operation';
import { shownWhere } from '../parameters/fields';
import { optionsField } from '../parameters/options';
import { subtitleOf } from '../parameters/sharedFields';

/** Everything the node can do; a new operation is one line here. */
const resources: Resource[] = [
	{
		value: 'account',
		name: 'Account',
		operations: [checkSetup, getBalance],
		default: 'getBalance',
	},
	{
		value: 'bulkCampaign',
		name: 'Bulk Campaign',
		operations: [createCampaign, getOutcome],
		default: 'create',
	},
	{
		value: 'chatMessage',
		name: 'Chat Message',
		operations: [getManyMessages, getStats, sendMessageAndWait, sendMedia, sendTemplate, sendText],
		default: 'sendTemplate',
	},
	{
		value: 'email',
		name: 'Email',
		operations: [sendEmail, sendEmailAndWait],
		default: 'send',
	},
	{ value: 'media', name: 'Media', operations: [upload], default: 'upload' },
	{
		value: 'phoneNumber',
		name: 'Phone Number',
		operations: [getManyNumbers],
		default: 'getMany',
	},
	{
		value: 'voiceCall',
		name: 'Voice Call',
		operations: [createCall, getCall, getManyCalls],
		default: 'create',
	},
	{
		value: 'webhook',
		name: 'Webhook',
		operations: [createWebhook, deleteWebhook, getManyWebhooks],
		default: 'create',
	},
];

const all = resources.flatMap(({ value: resource, name, operations }) =>
	operations.map((operation) => ({
		resource,
		key: `${resource}.${operation.value}`,
		label: `${operation.name}: ${name}`,
		operation: { ...operation, fields: [...operation.fields, optionsOf(operation)] },
	})),
);

/** One without parameters makes the same request for every item, which goes out once. */
function optionsOf({ kind, billable, fields, options }: Operation): INodeProperties {
	return optionsField({ billable, batching: kind === 'item' && fields.length > 0, own: options });
}

const operationByKey = new Map(all.map(({ key, operation }) => [key, operation]));

/** The operation that the parameters `resource` and `operation` name; undefined if there is none. */
export const findOperation = (resource: string, operation: string): Operation | undefined =>
	operationByKey.get(`${resource}.${operation}`);

/** Names the chosen operation as its labels do, e.g. "Send Template: Chat Message". */
export const subtitle = subtitleOf(
	Object.fromEntries(all.map(({ key, label }) => [key, label])),
	'$parameter["resource"] + "." + $parameter["operation"]',
);

/** All parameters of the node, in the order that the editor shows. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ name, value }) => ({ name, value })),
		default: 'chatMessage',
	},
	...resources.map(operationField),
	...all.flatMap(({ resource, operation: { value, fields } }) =>
		shownWhere({ resource: [resource], operation: [value] }, fields),
	),
];

function operationField({ value, operations: own, default: chosen }: Resource): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		options: own.map(({ name, value: operation, action, description }) => ({
			name,
			value: operation,
			action,
			description,
		})),
		default: chosen,
	};
}
