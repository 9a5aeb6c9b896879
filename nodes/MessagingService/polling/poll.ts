import { size } from 'lodash';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';
import { messageStatuses } from '../actions/chatMessage/records.operations';
import { routes } from '../actions/voiceCall/callLog.operations';
import { connect, type Call } from '../api/client';
import { withDeadline } from '../api/deadline';
import { Failure } from '../api/failure';
import { balanceNames } from '../api/response';
import { triggerReader } from '../parameters/read';
import {
	choiceOf,
	choices,
	choicesOf,
	converted,
	someDigits,
	someNumber,
	type Schema,
} from '../parameters/schemas';
import { balanceWatch } from './balanceWatch';
import { callWatch } from './callWatch';
import { callEvents, pollingFields, watches } from './fields';
import { messageWatch } from './messageWatch';
import { numberWatch } from './numberWatch';
import type { Watch } from './watch';
import { webhookWatch } from './webhookWatch';

interface Saved {
	/** Identifies what was watched, with which credential. */
	watched: string;
	state: IDataObject;
	/** Milliseconds since 1970. */
	at: number;
}

/**
 * The newest state of each trigger in this process. The state that n8n stores is only the fallback: n8n's
 * scheduler saves it only after a poll that returns items, and not after the poll at publishing.
 */
const newest = new Map<string, Saved>();

/** The context of each trigger's latest poll, while it runs. */
const latestContext = new Map<string, IPollFunctions>();

/** The polls of a context so far. */
interface Polled {
	isRunning?: boolean;
	/** The state after its last poll. */
	saved?: Saved;
}

/**
 * The property of n8n's context with its `Polled`. An update of this package loads new modules, but n8n keeps the
 * context, which still shows how the trigger was activated.
 */
const polledKey: unique symbol = Symbol.for('n8n-nodes-messaging-service.polled');
type PollContext = IPollFunctions & { [polledKey]?: Polled };

/**
 * One poll of the trigger: the items of new events, or null; throws Failure. The state is replaced only after all
 * reads. After a restart, the stored one may be older, but nothing was emitted since it was stored.
 */
export async function poll(context: PollContext): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') {
		const watch = chosenWatch(context);
		const event = await inTime(context, async (call) => await watch.sample(call));
		// `sample` comes first, because the editor's table is wide.
		return [[{ json: { sample: true, ...event } }]];
	}

	const trigger = `${context.getWorkflow().id} ${context.getNode().id}`;
	// Two polls that compare with the same state would emit everything twice. Publishing again gives the
	// trigger a new context, and n8n discards the items of polls with the old one, so the newer poll wins.
	const polled = (context[polledKey] ??= {});
	if (polled.isRunning) return null;
	const mode = polled.isRunning === undefined ? context.getActivationMode() : undefined;
	polled.isRunning = true;
	latestContext.set(trigger, context);
	const items = await pollOnce(context, trigger, polled, mode)
		.catch((error: Error): IDataObject[] => {
			// If this first poll threw, n8n would never poll again, although it shows the workflow as
			// published. So the error is only logged: the next poll finds the same events, or fails visibly.
			if (mode !== 'init' && mode !== 'leadershipChange') throw withPublishAdvice(error, mode);
			context.logger.warn(`The first poll of "${context.getNode().name}" failed: ${error.message}`);
			return [];
		})
		.finally(() => {
			polled.isRunning = false;
			if (latestContext.get(trigger) === context) latestContext.delete(trigger);
		});
	return items.length === 0 ? null : [items.map((json) => ({ json }))];
}

async function pollOnce(
	context: IPollFunctions,
	trigger: string,
	polled: Polled,
	mode: string | undefined,
): Promise<IDataObject[]> {
	const watch = chosenWatch(context);
	const data = context.getWorkflowStaticData('node') as Partial<Saved>;
	// With another credential, all records would be new.
	const credential = context.getNode().credentials?.messagingServiceApi?.id;
	const watched = JSON.stringify({ ...watch.identity, credential });
	// Before a leadership change, another process polled.
	const inMemory = mode === 'leadershipChange' ? undefined : (polled.saved ?? newest.get(trigger));
	// Another process may have polled later and stored a newer state.
	const useStored = !inMemory || Number(data.at) > inMemory.at;
	// Publishing sets a new starting point.
	const last = mode === 'activate' ? undefined : useStored ? data : inMemory;
	const lastState = last?.watched === watched ? last.state : undefined;
	const { items, state } = await inTime(
		context,
		async (call) => await watch.poll(call, lastState, useStored),
	);
	if (latestContext.get(trigger) !== context) return [];
	// The clock may have been set back.
	const at = Math.max(Date.now(), (inMemory?.at ?? 0) + 1, Number(data.at ?? 0) + 1);
	polled.saved = { watched, state, at };
	newest.set(trigger, polled.saved);
	Object.assign(data, polled.saved);
	return items;
}

/**
 * The error of a poll. The first poll may be the one at publishing, and n8n never polls again if that one fails.
 *
 * @param mode how the trigger was activated; undefined for a later poll
 */
function withPublishAdvice(error: Error, mode: string | undefined): Error {
	if (mode === undefined || !(error instanceof Failure)) return error;
	const advice =
		'If publishing failed, press Publish again. Until then, this trigger does not poll.';
	return new Failure(error.message, { ...error, description: `${error.description} ${advice}` });
}

/** Aborts work that takes longer than n8n allows for a poll. Aborted work makes no further requests. */
async function inTime<T extends object>(
	context: IPollFunctions,
	work: (call: Call) => Promise<T>,
): Promise<T> {
	// Older versions of n8n do not have this method.
	const { getPollBudgetMs = () => 5 * 60 * 1_000 } = context as Partial<IPollFunctions>;
	const budget = getPollBudgetMs.call(context);
	const result = await withDeadline()(budget, async (signal) => {
		const call = await connect(context);
		return await work(async (request, options) => {
			signal.throwIfAborted();
			return await call(request, options);
		});
	});
	if (typeof result !== 'string') return result;
	throw new Failure(
		`The poll was stopped because it took longer than ${Math.round(budget / 1_000)} seconds`,
		{
			outcome: 'unknown',
			description:
				'Check that the service can be reached and responds in time. No events are lost: the next poll finds them.',
		},
	);
}

function chosenWatch(context: IPollFunctions): Watch {
	const read = triggerReader(context, pollingFields);
	switch (read('watch', choiceOf(watches))) {
		case 'voiceCalls':
			return callWatch(read('callEvents', severalOf(callEvents)), {
				route: read('filters.route', choiceOf(routes)),
				search: read('filters.search', someDigits),
			});
		case 'messages': {
			const stuckAfter = read('stuckAfter', zeroOrMore);
			const several = stuckAfter > 0 ? choicesOf(messageStatuses) : severalOf(messageStatuses);
			return messageWatch(read('statuses', several), stuckAfter);
		}
		case 'numbers':
			return numberWatch;
		case 'webhooks':
			return webhookWatch;
		case 'balance':
			return balanceWatch(read('resources', severalOf(balanceNames)), {
				warning: read('warningThreshold', zeroOrMore),
				critical: read('criticalThreshold', zeroOrMore),
			});
	}
}

const severalOf = (names: Record<string, unknown>): Schema<string[]> =>
	choices.pipe(z.array(choiceOf(names))).refine(size, 'is empty: select at least one');

const zeroOrMore: Schema<number> = converted(someNumber, (value, reject) => {
	if (!Number.isFinite(value)) return reject('is not a number');
	return value < 0 ? reject('is less than 0') : value;
});
