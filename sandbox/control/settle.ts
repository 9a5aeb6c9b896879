import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../http/serviceError';
import type { World } from '../world';

const LOOK_EVERY_MS = 5;

/**
 * Waits until nothing happens by itself any more: no webhook delivery waits or is under way, and no
 * step (life cycle, bulk campaign, further delivery try) is left. Where the clock is manual, steps in
 * its future are not waited for. Requests that are still being served are not waited for either.
 */
export async function settle(world: World, timeoutMs: number): Promise<void> {
	const end = performance.now() + timeoutMs;
	while (!isSettled(world)) {
		if (performance.now() > end) throw new ServiceError(504, stillOpen(world));
		await sleep(LOOK_EVERY_MS);
	}
}

function isSettled({ clock, scheduler, deliveries }: World): boolean {
	const steps = clock.manual ? scheduler.hasDue : scheduler.size > 0;
	return !steps && deliveries.pending === 0;
}

function stillOpen({ scheduler, deliveries }: World): string {
	return `Not settled: ${scheduler.size} steps and ${deliveries.pending} deliveries are left`;
}
