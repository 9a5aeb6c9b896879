import type { INodeParameters } from 'n8n-workflow';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { workflowOf } from '../../support/core/workflow';
import { describedOperations } from '../../support/operations';

const { properties, subtitle } = new MessagingService().description;

/** What n8n shows below the name of the node. */
function shown(parameters: INodeParameters): unknown {
	const type = 'n8n-nodes-messaging-service.messagingService';
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
	return workflow.expression.getSimpleParameterValue(own, subtitle, 'internal', {});
}

test.each(describedOperations)('$name is named by its labels', ({ choice, option }) => {
	const resources = properties.find(({ name }) => name === 'resource')?.options ?? [];
	const resource = resources.find((one) => 'value' in one && one.value === choice.resource);
	const { name } = option as unknown as { name: string };
	expect(shown(choice)).toBe(`${name}: ${resource?.name}`);
});
