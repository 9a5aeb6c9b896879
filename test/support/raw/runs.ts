import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { execute, failureOr, type Execution } from '../core/execute';
import type { StandIn } from './standIn';

/** A send whose success has an id. */
export const template: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone: '447700900210',
	templateName: 'order_update',
};

export const balance: INodeParameters = { resource: 'account', operation: 'getBalance' };

/** What the service answers to `template`. */
export const accepted = {
	success: true,
	message: 'Template message sent',
	providerMessageId: 'm1',
	cost: 1,
	remainingBalance: 9,
};

/** Runs the node with a timeout and says what became of its item: `accepted`, or how it failed. */
export async function fateOf(
	standIn: StandIn,
	parameters: INodeParameters,
	{ timeout = 5_000, ...rest }: { timeout?: number } & Partial<Execution> = {},
): Promise<{ outcome: string; message: string; description: string; json: IDataObject }> {
	const { credential } = standIn;
	const all = { options: { timeout }, ...parameters };
	const result = await failureOr(execute({ credential, parameters: all, ...rest }));
	if (!(result instanceof Error)) {
		const json = result[0]?.json ?? {};
		return { outcome: 'accepted', message: '', description: '', json };
	}
	const { message, description = '', context } = result;
	const { data: json = {} } = context ?? {};
	return { outcome: String(json.outcome), message, description, json };
}
