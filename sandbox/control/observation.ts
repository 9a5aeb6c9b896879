import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { emit, emitSchema } from '../deliveries/emit';
import { faultSchema } from '../faults/kinds';
import { ServiceError } from '../http/endpoint';
import { validate } from '../http/validate';
import type { Service } from '../service';
import type { ControlRoute } from './route';

const journalFilterSchema = z
	.object({
		kind: z.enum(['request', 'delivery']),
		method: z.string().toUpperCase(),
		path: z.string(),
	})
	.partial()
	.strict();

const settleSchema = z.object({ timeoutMs: z.number().int().min(0).default(30_000) }).strict();

const lookEveryMs = 5;

/**
 * Waits until nothing happens by itself any more: no webhook delivery waits or is under way, and no
 * step (life cycle, bulk campaign) is left. Requests that are still being served are not waited for.
 */
async function settle(service: Service, timeoutMs: number): Promise<void> {
	const end = performance.now() + timeoutMs;
	while (!isSettled(service)) {
		if (performance.now() > end) throw new ServiceError(504, stillOpen(service));
		await sleep(lookEveryMs);
	}
}

function isSettled({ scheduler, deliveries }: Service): boolean {
	return scheduler.size === 0 && deliveries.pending === 0;
}

function stillOpen({ scheduler, deliveries }: Service): string {
	return `Not settled: ${scheduler.size} steps and ${deliveries.pending} deliveries are left`;
}

/** Control of what is seen and what goes wrong. */
export const observationRoutes: ControlRoute[] = [
	{
		method: 'GET',
		path: '/journal',
		run: ({ journal }, { query }) => journal.list(validate(journalFilterSchema, query)),
	},
	{ method: 'DELETE', path: '/journal', run: ({ journal }) => journal.clear() },
	{ method: 'GET', path: '/stats', run: ({ traffic }) => traffic.stats() },
	{ method: 'DELETE', path: '/stats', run: ({ traffic }) => traffic.reset() },
	{
		method: 'POST',
		path: '/faults',
		run: ({ faults }, { body }) => faults.add(validate(faultSchema, body)),
	},
	{ method: 'DELETE', path: '/faults', run: ({ faults }) => faults.clear() },
	{
		method: 'POST',
		path: '/emit',
		run: (service, { body }) => emit(service, validate(emitSchema, body)),
	},
	{
		method: 'POST',
		path: '/settle',
		run: (service, { body }) => settle(service, validate(settleSchema, body).timeoutMs),
	},
];
