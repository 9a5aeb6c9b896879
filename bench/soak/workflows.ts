import axios from 'axios';
import type { INode, INodeParameters } from 'n8n-workflow';
import {
	chain,
	messagingServicePollingTrigger,
	messagingServiceTrigger,
	noOp,
	type WorkflowJson,
} from '../../harness';
import { ours, webhook } from '../flow';
import type { Stage } from '../stage';

/** What to watch, each in a workflow of its own that polls every minute. */
const watches: INodeParameters[] = [
	{ watch: 'balance', resources: ['chatBalance'] },
	{ watch: 'messages', statuses: ['Delivered', 'Read', 'Failed'] },
	{ watch: 'voiceCalls', callEvents: ['started', 'statusChanged', 'ended'] },
	{ watch: 'webhooks' },
];

const events = ['message.sent', 'message.delivered', 'message.read', 'message.failed'];

/** The published workflows of a soak. */
export interface Soaked {
	/** Ids of all of them. */
	ids: string[];
	/** Sends one template message under an idempotency key. @throws unless n8n answers with its id */
	send(order: number): Promise<void>;
	/** Places a call and waits for its end. @throws unless n8n answers that it has ended */
	call(order: number): Promise<void>;
}

/** Publishes a workflow per kind of send, one that takes the events, and one per thing to watch. */
export async function publishSoak(stage: Stage): Promise<Soaked> {
	const { n8n, credential } = stage;
	const workflows: WorkflowJson[] = [
		chain('Sends', [hook('soak-send'), sendTemplate(stage)]),
		chain('Calls', [hook('soak-call'), placeCall(stage)]),
		chain('Events', [messagingServiceTrigger({ events: events }, credential), noOp()]),
		...watches.map((parameters) =>
			chain(`Watch ${String(parameters.watch)}`, [
				messagingServicePollingTrigger(
					{ ...parameters, pollTimes: { item: [{ mode: 'everyMinute' }] } },
					credential,
				),
				noOp(),
			]),
		),
	];
	const ids: string[] = [];
	for (const workflow of workflows) {
		const id = await n8n.createWorkflow(workflow);
		await n8n.publish(id);
		ids.push(id);
	}
	const post = async (path: string, order: number): Promise<Record<string, unknown>> => {
		const phone = String(919_000_000_000 + order);
		const url = `${n8n.url}/webhook/${path}`;
		return (await axios.post<Record<string, unknown>>(url, { order, phone }, { proxy: false }))
			.data;
	};
	return {
		ids,
		send: async (order) => {
			const { providerMessageId } = await post('soak-send', order);
			if (typeof providerMessageId !== 'string') throw new Error(`Send ${order} has no id`);
		},
		call: async (order) => {
			const { ended } = await post('soak-call', order);
			if (ended !== true) throw new Error(`Call ${order} has not ended`);
		},
	};
}

const hook = (path: string): INode => webhook({ path, responseMode: 'lastNode' });

const sendTemplate = (stage: Stage): INode =>
	ours(stage, {
		resource: 'chatMessage',
		operation: 'sendTemplate',
		phone: '={{ $json.body.phone }}',
		templateName: 'order_update',
		options: { idempotencyKey: '=order {{ $json.body.order }}' },
	});

const placeCall = (stage: Stage): INode =>
	ours(stage, {
		resource: 'voiceCall',
		operation: 'create',
		to: '={{ $json.body.phone }}',
		text: 'Your order is on its way.',
		options: { waitForCompletion: true, maxWait: 60, pollInterval: 2 },
	});
