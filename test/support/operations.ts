import { filter, isMatch, map, mapValues } from 'lodash';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
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

const optionsOf = (name: string) =>
	filter(properties, { name }).flatMap(({ options = [], displayOptions }) =>
		(options as Array<DescribedOperation['option']>).map((option) => ({ option, displayOptions })),
	);

/** Everything that the node can do, from its description: a new operation is there by itself. */
export const describedOperations: DescribedOperation[] = optionsOf('operation').map(
	({ option, displayOptions }) => {
		const resource = String(displayOptions?.show?.resource?.[0]);
		const choice = { resource, operation: option.value };
		const { name: resourceName = resource } =
			map(optionsOf('resource'), 'option').find(({ value }) => value === resource) ?? {};
		const fields = properties.filter((field) =>
			isMatch(field, { displayOptions: { show: mapValues(choice, (value) => [value]) } }),
		);
		return { option, name: `${resource}.${option.value}`, choice, resourceName, fields };
	},
);

/** Parameters where the examples of the required fields are not enough. */
const chosenParameters: Record<string, INodeParameters> = {
	'bulkCampaign.create': {
		templateName: 'order_update',
		recipientsSource: 'json',
		recipientsJson: '[{"phone":"447700900210"}]',
	},
	'chatMessage.get': { providerMessageId: '1' },
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
