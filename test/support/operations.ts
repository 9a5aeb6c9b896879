import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';

/** An operation as the node's description has it. */
export interface DescribedOperation {
	/** `<resource>.<operation>` */
	name: string;
	/** What chooses it. */
	choice: { resource: string; operation: string };
	fields: INodeProperties[];
	/** The entry that the user chooses. */
	option: { value: string; action?: string; description?: string };
}

const { properties } = new MessagingService().description;

const shownFor = (field: INodeProperties, key: string): unknown =>
	field.displayOptions?.show?.[key]?.[0];

/** Everything that the node can do, from its description: a new operation is there by itself. */
export const describedOperations: DescribedOperation[] = properties
	.filter(({ name }) => name === 'operation')
	.flatMap((field) =>
		(field.options ?? []).map((option) => {
			const resource = String(shownFor(field, 'resource'));
			const { value: operation } = option as DescribedOperation['option'];
			return {
				option: option as DescribedOperation['option'],
				name: `${resource}.${operation}`,
				choice: { resource, operation },
				fields: properties.filter(
					(own) =>
						shownFor(own, 'resource') === resource && shownFor(own, 'operation') === operation,
				),
			};
		}),
	);

const phone = '919876543210';
const templateName = 'order_update';

/** Parameters with which each operation succeeds; those that need a file take it from `data`. */
export const goodParameters: Record<string, INodeParameters> = {
	'account.getBalance': {},
	'bulkCampaign.create': {
		templateName,
		recipientsSource: 'json',
		recipientsJson: `[{"phone":"${phone}"}]`,
	},
	'chatMessage.getMany': {},
	'chatMessage.getStats': {},
	'chatMessage.send': { phone, message: 'Hello' },
	'chatMessage.sendAndWait': { phone, message: 'Yes?', responseType: 'approval' },
	'chatMessage.sendMedia': { phone, mediaSource: 'url', mediaUrl: 'https://host.example/a.png' },
	'chatMessage.sendTemplate': { phone, templateName },
	'email.send': { to: 'a@host.example', subject: 'S', emailFormat: 'text', text: 'T' },
	'email.sendAndWait': {
		to: 'a@host.example',
		subject: 'S',
		message: 'Yes?',
		responseType: 'approval',
	},
	'media.upload': {},
	'phoneNumber.getMany': {},
	'voiceCall.create': { to: phone, content: 'text', text: 'Hello' },
	'voiceCall.getMany': {},
	'webhook.create': { url: 'https://host.example/hook' },
	'webhook.delete': { webhookId: '0b7d3a52-8f0c-4a1e-9a37-2f1f6f1f3c55' },
	'webhook.getMany': {},
};
