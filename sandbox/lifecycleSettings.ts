import { z } from 'zod';
import { schema } from './http/validate';

const delay = z.number().int().min(0).max(86_400_000);

/** Speed and outcome of what messages and calls go through by themselves. */
export const lifecycleSchema = schema({
	/** False: nothing moves; steps that come due meanwhile are dropped. */
	enabled: z.boolean().default(true),
	/** Milliseconds until a record is listed, if that is assumed to be late. */
	listedAfterMs: delay.default(2_000),
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
