import { MAGIC_ENDINGS } from '../choices';
import type { MessageStatus } from '../documented';
import type { Message, MessageDraft } from '../state/messages';
import type { World } from '../world';

/** Sends messages: records them as Sent, announces that, and schedules what follows. */
export function sendMessages(world: World, drafts: readonly MessageDraft[]): Message[] {
	const { state, lifecycle } = world;
	const now = world.clock.now();
	const messages = drafts.map((draft) => state.messages.add(draft, now));
	for (const message of messages) world.deliveries.announce(message);
	if (lifecycle.enabled) {
		world.scheduler.after(lifecycle.deliveredAfterMs, () => deliver(world, messages));
	}
	return messages;
}

/** Gives a message a new status and announces it. */
export function moveMessage(world: World, message: Message, status: MessageStatus): void {
	world.state.messages.setStatus(message, status, world.clock.now());
	world.deliveries.announce(message);
}

function deliver(world: World, messages: readonly Message[]): void {
	if (!world.lifecycle.enabled) return;
	const delivered: Message[] = [];
	for (const message of messages) {
		const outcome = outcomeOf(world, message);
		if (message.status !== 'Sent' || outcome === 'Sent') continue;
		moveMessage(world, message, outcome === 'Failed' ? 'Failed' : 'Delivered');
		if (outcome === 'Read') delivered.push(message);
	}
	if (delivered.length === 0) return;
	world.scheduler.after(world.lifecycle.readAfterMs, () => read(world, delivered));
}

function read(world: World, messages: readonly Message[]): void {
	if (!world.lifecycle.enabled) return;
	for (const message of messages) {
		if (message.status === 'Delivered') moveMessage(world, message, 'Read');
	}
}

function outcomeOf(world: World, { to }: Message): MessageStatus {
	const { messageOutcome } = world.lifecycle;
	if (messageOutcome !== 'byNumber') return messageOutcome;
	return to.endsWith(MAGIC_ENDINGS.failed) ? 'Failed' : 'Read';
}
