import {
	chain,
	manualTrigger,
	messagingService,
	type Execution,
	type N8nApi,
} from '../../../harness';
import { phones, recipientsNode, sender } from '../reliability/stage';
import { template } from './runs';
import type { Answering, StandIn } from './standIn';

/**
 * Sends messages in the real n8n, one after another and with three tries, to a stand-in at which
 * nothing has arrived yet.
 *
 * @param answer to each of the requests
 * @param count of the messages
 * @param timeout milliseconds
 */
export async function send(
	n8n: N8nApi,
	standIn: StandIn,
	answer: Answering,
	{ count = 1, timeout = 10_000 } = {},
): Promise<Execution> {
	standIn.arrivals.length = 0;
	standIn.answer = answer;
	const credential = await n8n.createCredential('Stand-in', { ...standIn.credential });
	const options = { timeout, batching: { batch: { batchSize: 1 } } };
	const node = messagingService({ ...template, phone: '={{ $json.phone }}', options }, credential, {
		name: sender,
		retryOnFail: true,
		maxTries: 3,
		waitBetweenTries: 100,
	});
	const workflow = chain('Stand-in', [manualTrigger(), recipientsNode(phones(count)), node]);
	return await n8n.run(await n8n.createWorkflow(workflow));
}
