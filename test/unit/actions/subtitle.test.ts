import type { INodeParameters, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { MessagingServicePollingTrigger } from '../../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { workflowOf } from '../../support/core/workflow';
import { describedOperations } from '../../support/operations';

const { description } = new MessagingService();
const polling = new MessagingServicePollingTrigger().description;

/** What n8n shows below the name of a node. */
function shown({ name, subtitle }: INodeTypeDescription, parameters: INodeParameters): unknown {
	const type = `n8n-nodes-messaging-service.${name}`;
	const node = {
		id: '1',
		name: 'Node',
		type,
		typeVersion: 1,
		position: [0, 0] as [number, number],
	};
	const workflow = workflowOf({ ...node, parameters }, { active: false });
	const [own] = Object.values(workflow.nodes);
	if (!own) throw new Error('The workflow has no node');
	return workflow.expression.getSimpleParameterValue(own, subtitle ?? '', 'internal', {});
}

const choicesOf = ({ properties }: INodeTypeDescription, name: string) =>
	(properties.find((one) => one.name === name)?.options ?? []) as INodePropertyOptions[];

test.each(describedOperations)('$name is named by its labels', ({ choice, option }) => {
	const resource = choicesOf(description, 'resource').find(
		({ value }) => value === choice.resource,
	);
	expect(shown(description, choice)).toBe(`${option.name}: ${resource?.name}`);
});

test.each(choicesOf(polling, 'watch'))(
	'the polling trigger for $value is named by its label',
	({ name, value }) => {
		expect(shown(polling, { watch: value })).toBe(name);
	},
);
