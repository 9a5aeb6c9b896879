import { emit, emitSchema } from '../deliveries/emit';
import { faultSchema } from '../faults/fault';
import { validate } from '../routes/validate';
import type { ControlRoute } from './route';
import * as schemas from './schemas';
import { settle } from './settle';

/** Control of what is seen, what goes wrong, and of time. */
export const observationRoutes: ControlRoute[] = [
	{
		method: 'GET',
		path: '/journal',
		run: ({ journal }, { query }) => journal.list(validate(schemas.journalFilterSchema, query)),
	},
	{ method: 'DELETE', path: '/journal', run: ({ journal }) => journal.clear() },
	{ method: 'GET', path: '/stats', run: ({ traffic }) => traffic.stats() },
	{ method: 'DELETE', path: '/stats', run: ({ traffic }) => traffic.reset() },
	{ method: 'GET', path: '/faults', run: ({ faults }) => faults.list() },
	{
		method: 'POST',
		path: '/faults',
		run: ({ faults }, { body }) => faults.add(validate(faultSchema, body)),
	},
	{ method: 'DELETE', path: '/faults', run: ({ faults }) => faults.clear() },
	{
		method: 'POST',
		path: '/emit',
		run: (world, { body }) => emit(world, validate(emitSchema, body)),
	},
	{
		method: 'POST',
		path: '/clock/advance',
		run: ({ clock }, { body }) => {
			clock.advance(validate(schemas.advanceSchema, body).ms);
			return { now: clock.now() };
		},
	},
	{
		method: 'POST',
		path: '/settle',
		run: (world, { body }) => settle(world, validate(schemas.settleSchema, body).timeoutMs),
	},
];
