import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';
import { messageStatuses } from '../actions/chatMessage/records.operations';
import { connect, limiting, type Call } from '../api/client';
import { Failure } from '../api/failure';
import { triggerReader } from '../parameters/read';
import { choiceOf, choices, type Schema } from '../parameters/schemas';
import { balanceNames, balanceWatch } from './balanceWatch';
import { callWatch } from './callWatch';
import { callEvents, pollingFields, watches } from './fields';
import { messageWatch } from './messageWatch';
import { numberWatch } from './numberWatch';
import type { Watch } from './watch';
import { webhookWatch } from './webhookWatch';

// n8n keeps one context from publishing to unpublishing, and starts a poll even while the last one
// is still running.
const busy = new WeakSet<IPollFunctions>();
const started = new WeakSet<IPollFunctions>();
const tried = new WeakSet<IPollFunctions>();

/**
 * One poll of the trigger: items for what has happened, or null. Throws Failure, also when it takes
 * longer than n8n lets it.
 *
 * What the next poll needs lies in the workflow's static data and is replaced only after everything was
 * read: a poll that fails stores nothing. n8n saves it when a poll has given items: after a restart an
 * older state is compared, which is right too, because nothing was emitted since.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') {
		const watch = chosenWatch(context);
		const event = await inTime(context, async (call) => await watch.sample(call));
		// First: the editor's table is wide, and nobody should take it for an event.
		return [[{ json: { sample: true, ...event } }]];
	}

	// Two polls that compare with the same state would emit everything twice.
	if (busy.has(context)) return null;
	busy.add(context);
	const isFirst = !tried.has(context);
	tried.add(context);
	const items = await pollOnce(context)
		.catch((error: Error): IDataObject[] => {
			// n8n polls once as it starts, and where that fails it never polls again, though the workflow
			// is shown as published. The next poll finds what has happened, or fails where it can be seen.
			const isStarting = ['init', 'leadershipChange'].includes(context.getActivationMode());
			if (!isFirst || !isStarting) throw error;
			context.logger.warn(`The first poll of "${context.getNode().name}" failed: ${error.message}`);
			return [];
		})
		.finally(() => busy.delete(context));
	return items.length === 0 ? null : [items.map((json) => ({ json }))];
}

async function pollOnce(context: IPollFunctions): Promise<IDataObject[]> {
	const watch = chosenWatch(context);
	const data = context.getWorkflowStaticData('node');
	// The credential too: another account's records would all be new.
	const credential = context.getNode().credentials?.messagingServiceApi?.id;
	const watched = JSON.stringify({ ...watch.identity, credential });
	// What was stored before the workflow was unpublished is old.
	const mode = started.has(context) ? undefined : context.getActivationMode();
	const stored =
		mode === 'activate' || data.watched !== watched ? undefined : (data.state as IDataObject);
	// At a change n8n has stored what the last poll gave; otherwise the process is new.
	const isOld = mode !== undefined && mode !== 'update';
	const { items, state, failure } = await inTime(
		context,
		async (call) => await watch.poll(call, stored, isOld),
	);
	Object.assign(data, { watched, state });
	started.add(context);
	if (failure) throw failure;
	return items;
}

/**
 * Gives up a piece of work that takes longer than n8n lets a poll. What is given up makes no further
 * request, and what it would have given is lost.
 */
async function inTime<T extends object>(
	context: IPollFunctions,
	work: (call: Call) => Promise<T>,
): Promise<T> {
	// Older versions of n8n do not say it.
	const { getPollBudgetMs = () => 5 * 60 * 1_000 } = context as Partial<IPollFunctions>;
	const budget = getPollBudgetMs.call(context);
	const result = await limiting()(budget, async (signal) => {
		const call = await connect(context);
		return await work(async (request, options) => {
			signal.throwIfAborted();
			return await call(request, options);
		});
	});
	if (typeof result !== 'string') return result;
	throw new Failure(`A poll was given up after ${Math.round(budget / 1_000)} seconds`, {
		outcome: 'unknown',
		description:
			'Check that the service can be reached and answers in time. What has happened meanwhile is not lost: the next poll finds it.',
	});
}

/** The watch that the parameters ask for; throws InputFailure. */
function chosenWatch(context: IPollFunctions): Watch {
	const read = triggerReader(context, pollingFields);
	switch (read('watch', choiceOf(watches))) {
		case 'voiceCalls':
			return callWatch(read('callEvents', severalOf(callEvents)), {
				route: String(context.getNodeParameter('filters.route', '')),
				search: String(context.getNodeParameter('filters.search', '')),
			});
		case 'messages':
			return messageWatch(read('statuses', severalOf(messageStatuses)), read('stuckAfter', limit));
		case 'numbers':
			return numberWatch;
		case 'webhooks':
			return webhookWatch;
		case 'balance':
			return balanceWatch(read('resources', severalOf(balanceNames)), {
				warning: read('warningThreshold', limit),
				critical: read('criticalThreshold', limit),
			});
	}
}

const severalOf = (names: Record<string, unknown>): Schema<string[]> =>
	choices.pipe(z.array(choiceOf(names)).nonempty('has no choice'));

const limit = z.coerce
	.number({ invalid_type_error: 'is not a number of at least 0' })
	.min(0, 'is not a number of at least 0');
