import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';

/** An operation as the node's description has it. */
export interface DescribedOperation {
	/** `<resource>.<operation>` */
	name: string;
	/** What chooses it. */
	choice: { resource: string; operation: string };
	/** What the editor calls the resource. */
	resourceName: string;
	fields: INodeProperties[];
	/** The entry that the user chooses. */
	option: { name: string; value: string; action?: string; description?: string };
}

const { properties } = new MessagingService().description;

const shownFor = (field: INodeProperties, key: string): unknown =>
	field.displayOptions?.show?.[key]?.[0];

const resourceNames = new Map(
	(
		(properties.find(({ name }) => name === 'resource')?.options ?? []) as INodePropertyOptions[]
	).map(({ name, value }) => [value, name]),
);

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
				resourceName: resourceNames.get(resource) ?? resource,
				fields: properties.filter(
					(own) =>
						shownFor(own, 'resource') === resource && shownFor(own, 'operation') === operation,
				),
			};
		}),
	);

/** Parameters where the examples of the required fields are not enough. */
const chosenParameters: Record<string, INodeParameters> = {
	'bulkCampaign.create': {
		templateName: 'order_update',
		recipientsSource: 'json',
		recipientsJson: '[{"phone":"447700900210"}]',
	},
	'voiceCall.get': { callId: '1' },
	'webhook.delete': { webhookId: '0b7d3a52-8f0c-4a1e-9a37-2f1f6f1f3c55' },
};

/** The examples that an operation's required fields show. */
export const examplesOf = ({ fields }: DescribedOperation): INodeParameters =>
	Object.fromEntries(
		fields
			.filter(({ required, placeholder }) => required && placeholder?.startsWith('e.g. '))
			.map(({ name, placeholder = '' }) => [name, placeholder.replace('e.g. ', '')]),
	);

/** Parameters with which each operation succeeds, if it finds a file in `data`. A new operation is there by itself. */
export const goodParameters: Record<string, INodeParameters> = Object.fromEntries(
	describedOperations.map((operation) => [
		operation.name,
		chosenParameters[operation.name] ?? examplesOf(operation),
	]),
);
