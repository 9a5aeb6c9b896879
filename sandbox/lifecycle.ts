import type { CallStatus, MessageStatus } from './documented';
import type { Service } from './service';
import { newCall, type Call, type CallDraft } from './state/calls';
import { newMessage, type Message, type MessageDraft } from './state/messages';

/** Duration of a successful call in seconds. */
const callSeconds = 42;

/** Runs a step in a while, unless nothing moves then, or the message or call has moved otherwise. */
const later = (service: Service, ms: number, isThere: () => boolean, move: () => void): void =>
	service.after(ms, () => void (service.lifecycle.enabled && isThere() && move()));

/** The wanted outcome, or the one that the last digits of a number stand for. */
const outcomeOf = <Outcome extends string>(
	wanted: Outcome | 'byNumber',
	{ to }: { to: string },
	outcomes: Record<string, Outcome>,
	otherwise: Outcome,
): Outcome => (wanted === 'byNumber' ? (outcomes[to.slice(-4)] ?? otherwise) : wanted);

/** Sends a message: records it, announces that, and schedules what follows. */
export function sendMessage(service: Service, draft: MessageDraft): Message {
	const message = newMessage(service.state.random, draft, service.now());
	list(service, () => service.state.messages.push(message));
	service.deliveries.announce(message);
	if (service.lifecycle.enabled) deliver(service, message);
	return message;
}

/** Lists a record, at once or late (docs/service.md, section 10.33). */
function list(service: Service, add: () => unknown): void {
	const { assumptions, lifecycle } = service;
	if (assumptions.recordDelay === 'none') add();
	else service.after(lifecycle.listedAfterMs, () => void add());
}

function deliver(service: Service, message: Message): void {
	const outcome = (): MessageStatus =>
		outcomeOf(service.lifecycle.messageOutcome, message, { '0000': 'Failed' }, 'Read');
	const { messageSteps } = service.assumptions;
	const isSent = () => message.status === 'Sent' && outcome() !== 'Sent';
	const isUnfinished = () => message.status === 'Delivered' && outcome() !== 'Delivered';
	later(service, service.lifecycle.deliveredAfterMs, isSent, () => {
		const skips = messageSteps === 'skipDelivered' && outcome() === 'Read';
		const fails = messageSteps !== 'failLate' && outcome() === 'Failed';
		moveMessage(service, message, skips || fails ? outcome() : 'Delivered');
		const { readAfterMs } = service.lifecycle;
		later(service, readAfterMs, isUnfinished, () => moveMessage(service, message, outcome()));
	});
}

/** Gives a message a new status and announces it. */
function moveMessage(service: Service, message: Message, status: MessageStatus): void {
	Object.assign(message, { status, updatedAt: service.now() });
	service.deliveries.announce(message);
}

/** Records a call as initiated and schedules what follows. */
export function placeCall(service: Service, draft: CallDraft): Call {
	const { enabled, answeredAfterMs } = service.lifecycle;
	const call = newCall(service.state.random, draft, service.now());
	list(service, () => service.state.calls.push(call));
	if (!enabled) return call;
	const outcomes = { '0000': 'failed', '0001': 'no-answer' } as const;
	const outcome = () => outcomeOf(service.lifecycle.callOutcome, call, outcomes, 'success');
	const step = (ms: number, from: CallStatus, run: () => void) =>
		later(service, ms, () => call.callStatus === from, run);
	const move = (status: CallStatus) => moveCall(call, status, service.now());
	if (service.assumptions.callSteps === 'skip') {
		step(answeredAfterMs, 'initiated', () => move(outcome()));
		return call;
	}
	step(Math.floor(answeredAfterMs / 2), 'initiated', () => move('in-progress'));
	step(answeredAfterMs, 'in-progress', () => {
		move(outcome() === 'success' ? 'answered' : outcome());
		step(service.lifecycle.endedAfterMs, 'answered', () => {
			if (service.assumptions.callSteps === 'each') move(outcome());
			else hangUp(call, service.now());
		});
	});
	return call;
}

/** Gives a call a new status, with what belongs to it. */
export function moveCall(call: Call, callStatus: CallStatus, at: string): void {
	call.callStatus = callStatus;
	call.updatedAt = at;
	if (callStatus === 'failed' || callStatus === 'no-answer') call.transcript = '';
	if (callStatus === 'success') hangUp(call, at);
}

function hangUp(call: Call, at: string): void {
	call.updatedAt = at;
	call.duration = callSeconds;
	call.transcript += `\nAgent: Hello.\nRecipient: Hello.\nCall ended after ${callSeconds} s.`;
}
