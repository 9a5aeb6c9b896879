import { z } from 'zod';
import type { CallStatus, MessageStatus } from './documented';
import { schema } from './http/validate';
import type { Service } from './service';
import type { Call, CallDraft } from './state/calls';
import type { Message, MessageDraft } from './state/messages';

/** Ending of a number that decides what becomes of a message or call. */
const endings = { failed: '0000', noAnswer: '0001' } as const;

/** Shortest and longest duration of a successful call in seconds. */
const callSeconds = { min: 5, max: 90 } as const;

const delay = z.number().int().min(0).max(86_400_000);

/** Speed and outcome of what messages and calls go through by themselves. */
export const lifecycleSchema = schema({
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
});
export type Lifecycle = z.infer<typeof lifecycleSchema>;

/** Runs a step in a while, unless nothing moves then, or what it moves is not where it expects it. */
function later(service: Service, ms: number, isThere: () => boolean, move: () => void): void {
	service.scheduler.after(ms, () => {
		if (service.lifecycle.enabled && isThere()) move();
	});
}

/** Sends messages: records them, announces that, and schedules what follows. */
export function sendMessages(service: Service, drafts: readonly MessageDraft[]): Message[] {
	const now = Date.now();
	const sent = drafts.map((draft) => service.state.messages.add(draft, now));
	for (const message of sent) {
		service.deliveries.announce(message);
		if (service.lifecycle.enabled) deliver(service, message);
	}
	return sent;
}

function deliver(service: Service, message: Message): void {
	const outcome = () => messageOutcome(service, message);
	const isSent = () => message.status === 'Sent' && outcome() !== 'Sent';
	const isDelivered = () => message.status === 'Delivered' && outcome() === 'Read';
	later(service, service.lifecycle.deliveredAfterMs, isSent, () => {
		moveMessage(service, message, outcome() === 'Failed' ? 'Failed' : 'Delivered');
		const { readAfterMs } = service.lifecycle;
		later(service, readAfterMs, isDelivered, () => moveMessage(service, message, 'Read'));
	});
}

/** Gives a message a new status and announces it. */
export function moveMessage(service: Service, message: Message, status: MessageStatus): void {
	service.state.messages.setStatus(message, status, Date.now());
	service.deliveries.announce(message);
}

function messageOutcome(service: Service, { to }: Message): MessageStatus {
	const fixed = service.lifecycle.messageOutcome;
	if (fixed !== 'byNumber') return fixed;
	return to.endsWith(endings.failed) ? 'Failed' : 'Read';
}

/** Records a call as initiated and schedules what follows. */
export function placeCall(service: Service, draft: CallDraft): Call {
	const { enabled, answeredAfterMs } = service.lifecycle;
	const call = service.state.calls.add(draft, Date.now());
	if (!enabled) return call;
	const outcome = () => callOutcome(service, call);
	const move = (status: CallStatus) => moveCall(service, call, status);
	const step = (ms: number, from: CallStatus, run: () => void) =>
		later(service, ms, () => call.callStatus === from, run);
	step(Math.floor(answeredAfterMs / 2), 'initiated', () => move('in-progress'));
	step(answeredAfterMs, 'in-progress', () => {
		move(outcome() === 'success' ? 'answered' : outcome());
		step(service.lifecycle.endedAfterMs, 'answered', () => {
			if (service.assumptions.callSteps === 'each') move(outcome());
			else hangUp(service, call);
		});
	});
	return call;
}

/** Gives a call a new status, with what belongs to it. */
export function moveCall(service: Service, call: Call, callStatus: CallStatus): void {
	call.callStatus = callStatus;
	call.updatedAt = Date.now();
	if (callStatus === 'failed' || callStatus === 'no-answer') call.transcript = '';
	if (callStatus === 'success') hangUp(service, call);
}

function hangUp(service: Service, call: Call): void {
	call.updatedAt = Date.now();
	call.duration = service.state.chances.integer(callSeconds.min, callSeconds.max);
	call.transcript += `\nAgent: Hello.\nRecipient: Hello.\nCall ended after ${call.duration} s.`;
}

function callOutcome(service: Service, { to }: Call): CallStatus {
	const fixed = service.lifecycle.callOutcome;
	if (fixed !== 'byNumber') return fixed;
	if (to.endsWith(endings.failed)) return 'failed';
	return to.endsWith(endings.noAnswer) ? 'no-answer' : 'success';
}
