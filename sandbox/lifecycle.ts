import { z } from 'zod';
import type { CallStatus, MessageStatus } from './documented';
import type { Service } from './service';
import type { Call, CallDraft } from './state/calls';
import type { Message, MessageDraft } from './state/messages';

/** Ending of a number that decides what becomes of a message or call. */
const ENDINGS = { failed: '0000', noAnswer: '0001' } as const;

/** Shortest and longest duration of a successful call in seconds. */
const CALL_SECONDS = { min: 5, max: 90 } as const;

const delay = z.number().int().min(0);

/** Speed and outcome of what messages and calls go through by themselves. */
export const lifecycleSchema = z
	.object({
		/** False: nothing moves; steps that come due meanwhile are dropped. */
		enabled: z.boolean().default(true),
		/** Milliseconds from sent to delivered or failed. */
		deliveredAfterMs: delay.default(400),
		/** Milliseconds from delivered to read. */
		readAfterMs: delay.default(400),
		/** Milliseconds from initiated to answered, no-answer or failed; in-progress comes half-way. */
		answeredAfterMs: delay.default(500),
		/** Milliseconds from answered to success. */
		endedAfterMs: delay.default(1_000),
		/** Last status of every message; `byNumber` lets the recipient's last digits decide. */
		messageOutcome: z.enum(['byNumber', 'Sent', 'Delivered', 'Read', 'Failed']).default('byNumber'),
		/** Last status of every call; `byNumber` lets the number's last digits decide. */
		callOutcome: z.enum(['byNumber', 'success', 'no-answer', 'failed']).default('byNumber'),
	})
	.strict();
export type Lifecycle = z.infer<typeof lifecycleSchema>;

/** Sends messages: records them as Sent, announces that, and schedules what follows. */
export function sendMessages(service: Service, drafts: readonly MessageDraft[]): Message[] {
	const { state, lifecycle } = service;
	const now = service.clock.now();
	const messages = drafts.map((draft) => state.messages.add(draft, now));
	for (const message of messages) service.deliveries.announce(message);
	if (lifecycle.enabled) {
		service.scheduler.after(lifecycle.deliveredAfterMs, () => deliver(service, messages));
	}
	return messages;
}

/** Gives a message a new status and announces it. */
export function moveMessage(service: Service, message: Message, status: MessageStatus): void {
	service.state.messages.setStatus(message, status, service.clock.now());
	service.deliveries.announce(message);
}

function deliver(service: Service, messages: readonly Message[]): void {
	if (!service.lifecycle.enabled) return;
	const delivered: Message[] = [];
	for (const message of messages) {
		const outcome = messageOutcome(service, message);
		if (message.status !== 'Sent' || outcome === 'Sent') continue;
		moveMessage(service, message, outcome === 'Failed' ? 'Failed' : 'Delivered');
		if (outcome === 'Read') delivered.push(message);
	}
	if (delivered.length === 0) return;
	service.scheduler.after(service.lifecycle.readAfterMs, () => read(service, delivered));
}

function read(service: Service, messages: readonly Message[]): void {
	if (!service.lifecycle.enabled) return;
	for (const message of messages) {
		if (message.status === 'Delivered') moveMessage(service, message, 'Read');
	}
}

function messageOutcome(service: Service, { to }: Message): MessageStatus {
	const fixed = service.lifecycle.messageOutcome;
	if (fixed !== 'byNumber') return fixed;
	return to.endsWith(ENDINGS.failed) ? 'Failed' : 'Read';
}

/** Records a call as initiated and schedules what follows. */
export function placeCall(service: Service, draft: CallDraft): Call {
	const { scheduler, lifecycle } = service;
	const call = service.state.calls.add(draft, service.clock.now());
	if (!lifecycle.enabled) return call;
	const connecting = lifecycle.answeredAfterMs;
	scheduler.after(Math.floor(connecting / 2), () =>
		step(service, call, 'initiated', 'in-progress'),
	);
	scheduler.after(connecting, () => answer(service, call));
	return call;
}

/** Gives a call a new status, with what belongs to it. */
export function moveCall(service: Service, call: Call, callStatus: CallStatus): void {
	call.callStatus = callStatus;
	call.updatedAt = service.clock.now();
	if (callStatus === 'success') {
		call.duration = service.state.durations.integer(CALL_SECONDS.min, CALL_SECONDS.max);
		call.transcript += `\nAgent: Hello.\nRecipient: Hello.\nCall ended after ${call.duration} s.`;
	}
	if (callStatus === 'failed' || callStatus === 'no-answer') call.transcript = '';
}

function answer(service: Service, call: Call): void {
	const outcome = callOutcome(service, call);
	if (outcome !== 'success') return step(service, call, 'in-progress', outcome);
	step(service, call, 'in-progress', 'answered');
	const { endedAfterMs } = service.lifecycle;
	service.scheduler.after(endedAfterMs, () => step(service, call, 'answered', 'success'));
}

/** Moves only a call that is still where this step expects it. */
function step(service: Service, call: Call, from: CallStatus, to: CallStatus): void {
	if (service.lifecycle.enabled && call.callStatus === from) moveCall(service, call, to);
}

function callOutcome(service: Service, { to }: Call): CallStatus {
	const fixed = service.lifecycle.callOutcome;
	if (fixed !== 'byNumber') return fixed;
	if (to.endsWith(ENDINGS.failed)) return 'failed';
	return to.endsWith(ENDINGS.noAnswer) ? 'no-answer' : 'success';
}
