import { pick } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
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
import { sendEmail, sendEmailAndWait } from './email/operations';
import { upload } from './media/upload.operation';
import type { Operation } from '../operation';
import { getManyNumbers } from './phoneNumber/getMany.operation';
import { createCall } from './voiceCall/create.operation';
import { getCall } from './voiceCall/get.operation';
import { getManyCalls } from './voiceCall/getMany.operation';
import { createWebhook, deleteWebhook, getManyWebhooks } from './webhook/operations';
import { shownWhere } from '../parameters/fields';
import { optionsField } from '../parameters/options';
import { subtitleOf } from '../parameters/sharedFields';

/** Everything the node can do. The first operation of a resource is chosen until the user chooses. */
const resources: Array<{ value: string; name: string; operations: Operation[] }> = [
	{ value: 'account', name: 'Account', operations: [getBalance, checkSetup] },
	{ value: 'bulkCampaign', name: 'Bulk Campaign', operations: [createCampaign, getOutcome] },
	{
		value: 'chatMessage',
		name: 'Chat Message',
		operations: [sendTemplate, getManyMessages, getStats, sendMessageAndWait, sendMedia, sendText],
	},
	{ value: 'email', name: 'Email', operations: [sendEmail, sendEmailAndWait] },
	{ value: 'media', name: 'Media', operations: [upload] },
	{ value: 'phoneNumber', name: 'Phone Number', operations: [getManyNumbers] },
	{ value: 'voiceCall', name: 'Voice Call', operations: [createCall, getCall, getManyCalls] },
	{
		value: 'webhook',
		name: 'Webhook',
		operations: [createWebhook, deleteWebhook, getManyWebhooks],
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

/** What the other fields depend on: no expression can give it. */
const choice = (
	displayName: string,
	options: INodePropertyOptions[],
	preset = options[0]?.value,
): INodeProperties => ({
	displayName,
	name: displayName.toLowerCase(),
	type: 'options',
	noDataExpression: true,
	options: options.sort((a, b) => a.name.localeCompare(b.name)),
	default: preset,
});

/** All parameters of the node, in the order that the editor shows. */
export const properties: INodeProperties[] = [
	choice(
		'Resource',
		resources.map((resource) => pick(resource, ['name', 'value'])),
		'chatMessage',
	),
	...resources.flatMap(({ value, operations }) => {
		const named = operations.map((one) => pick(one, ['name', 'value', 'action', 'description']));
		return shownWhere({ resource: [value] }, [choice('Operation', named)]);
	}),
	...all.flatMap(({ resource, operation: { value, fields } }) =>
		shownWhere({ resource: [resource], operation: [value] }, fields),
	),
];
