import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { connect } from '../api/client';
import { chosenWatch } from './chosenWatch';
import type { Watch } from './watch';

// n8n keeps one context from publishing to unpublishing, and starts a poll even while the last one
// is still running.
const busy = new WeakSet<IPollFunctions>();
const started = new WeakSet<IPollFunctions>();

/**
 * One poll of the trigger: items for what has happened, or null.
 *
 * What the next poll needs lies in the workflow's static data and is replaced only after
 * everything was read, so a poll that fails stores nothing. n8n saves static data when a poll has
 * given items: after a restart an older state is compared, which is right too, because nothing
 * was told since.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const watch = chosenWatch(context);
	if (context.getMode() === 'manual')
		return [[{ json: await watch.sample(await connect(context)) }]];

	// Two polls that compare with the same state would tell everything twice.
	if (busy.has(context)) return null;
	busy.add(context);
	try {
		const items = await pollOnce(context, watch);
		started.add(context);
		return items.length === 0 ? null : [items.map((json) => ({ json }))];
	} finally {
		busy.delete(context);
	}
}

async function pollOnce(context: IPollFunctions, watch: Watch): Promise<IDataObject[]> {
	const call = await connect(context);
	const data = context.getWorkflowStaticData('node');
	// The credential too: another account's records would all be new.
	const watched = JSON.stringify({ ...watch.identity, credential: credentialId(context) });
	// What was stored before the workflow was unpublished is old.
	const isStart = context.getActivationMode() === 'activate' && !started.has(context);
	const stored = isStart || data.watched !== watched ? undefined : data.state;
	const { items, state } = await watch.poll(call, stored);
	Object.assign(data, { watched, state });
	return items;
}

const credentialId = (context: IPollFunctions): IDataObject[string] =>
	context.getNode().credentials?.messagingServiceApi?.id ?? null;
