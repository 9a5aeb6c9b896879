import { CALL_SECONDS, MAGIC_ENDINGS } from '../choices';
import type { CallStatus } from '../documented';
import type { Call, CallDraft } from '../state/calls';
import type { World } from '../world';

/** Records a call as initiated and schedules what follows. */
export function placeCall(world: World, draft: CallDraft): Call {
	const { scheduler, lifecycle } = world;
	const call = world.state.calls.add(draft, world.clock.now());
	if (!lifecycle.enabled) return call;
	const connecting = lifecycle.answeredAfterMs;
	scheduler.after(Math.floor(connecting / 2), () => step(world, call, 'initiated', 'in-progress'));
	scheduler.after(connecting, () => answer(world, call));
	return call;
}

/** Gives a call a new status, with what belongs to it. */
export function moveCall(world: World, call: Call, callStatus: CallStatus): void {
	call.callStatus = callStatus;
	call.updatedAt = world.clock.now();
	if (callStatus === 'success') {
		call.duration = world.state.durations.integer(CALL_SECONDS.min, CALL_SECONDS.max);
		call.transcript += `\nAgent: Hello.\nRecipient: Hello.\nCall ended after ${call.duration} s.`;
	}
	if (callStatus === 'failed' || callStatus === 'no-answer') call.transcript = '';
}

function answer(world: World, call: Call): void {
	const outcome = outcomeOf(world, call);
	if (outcome !== 'success') return step(world, call, 'in-progress', outcome);
	step(world, call, 'in-progress', 'answered');
	const { endedAfterMs } = world.lifecycle;
	world.scheduler.after(endedAfterMs, () => step(world, call, 'answered', 'success'));
}

/** Moves only a call that is still where this step expects it. */
function step(world: World, call: Call, from: CallStatus, to: CallStatus): void {
	if (world.lifecycle.enabled && call.callStatus === from) moveCall(world, call, to);
}

function outcomeOf(world: World, { to }: Call): CallStatus {
	const { callOutcome } = world.lifecycle;
	if (callOutcome !== 'byNumber') return callOutcome;
	if (to.endsWith(MAGIC_ENDINGS.failed)) return 'failed';
	return to.endsWith(MAGIC_ENDINGS.noAnswer) ? 'no-answer' : 'success';
}
