import type { INode } from 'n8n-workflow';
import { node } from '../../harness';
import { deliver } from '../../harness/deliver';

/** A trigger for a workflow that is started by a call, as in production, and the call. */
export function webhookCall(): { node: INode; send(address: string): Promise<void> } {
	const path = crypto.randomUUID();
	return {
		node: node(
			'Call',
			'n8n-nodes-base.webhook',
			{ path, httpMethod: 'POST', responseMode: 'onReceived', options: {} },
			{ typeVersion: 2, webhookId: path },
		),
		send: async (address) => {
			const { status, body } = await deliver(`${address}/webhook/${path}`, { body: '{}' });
			if (status !== 200) throw new Error(`The call was answered ${status}: ${body}`);
		},
	};
}
