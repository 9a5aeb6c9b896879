import type { INodeType, INodeTypes, IVersionedNodeType } from 'n8n-workflow';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { MessagingServicePollingTrigger } from '../../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';

const nodes: Record<string, INodeType> = {
	messagingService: new MessagingService(),
	messagingServicePollingTrigger: new MessagingServicePollingTrigger(),
	messagingServiceTrigger: new MessagingServiceTrigger(),
};

/** The package's own nodes, as n8n finds them by type. */
export const nodeTypes: INodeTypes = {
	getByName: (type): INodeType | IVersionedNodeType => nodeOf(type),
	getByNameAndVersion: (type) => nodeOf(type),
	getKnownTypes: () => ({}),
};

/** One of the package's nodes; throws for any other type. */
export function nodeOf(type: string): INodeType {
	const node = nodes[type.split('.').pop() ?? ''];
	if (!node) throw new Error(`No node type ${type}`);
	return node;
}
