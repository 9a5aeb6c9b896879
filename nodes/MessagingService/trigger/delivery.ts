import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { messageEvents } from '../actions/webhook/events';
import { isSigned } from './signature';

/** A request that reached the trigger's URL. */
export interface Delivery {
	rawBody: Uint8Array;
	signature: unknown;
}

/** What the trigger is set to. */
export interface Subscription {
	/** Empty when none is stored: then nothing is accepted. */
	secret: string;
	events: string[];
	/** Template names to pass on; all if empty. */
	templateNames: string[];
	/** Sending numbers to pass on, as digits; all if empty. */
	fromNumbers: string[];
	/** Seconds; 0 accepts events of any age. */
	maxAgeSeconds: number;
}

/** A delivery that starts an execution, or the answer that it gets instead. */
export type Verdict =
	| { payload: IDataObject; key: string }
	| { status: 200 | 400 | 401; reason: string };

// Unknown fields pass: the service adds some without notice (docs/service.md, section 9.2).
const eventSchema = z
	.object({
		event: z.enum(messageEvents),
		timestamp: z.string().datetime({ offset: true, local: true }),
		data: z
			.object({
				providerMessageId: z.string().min(1),
				from: z.union([z.string(), z.number()]).nullish().catch(undefined),
				templateName: z.string().nullish(),
			})
			.passthrough(),
	})
	.passthrough();

/**
 * Judges a delivery (docs/contract.md, section 6.4; docs/service.md, section 6.1). Pure.
 *
 * @param now milliseconds since 1970
 * @returns the payload and a key that is the same for the same event, or status and reason
 */
export function judgeDelivery(
	delivery: Delivery,
	subscription: Subscription,
	now: number,
): Verdict {
	if (!isSigned(delivery.rawBody, delivery.signature, subscription.secret)) {
		return { status: 401, reason: 'The signature is missing or does not match' };
	}
	const payload = parseJson(delivery.rawBody);
	const parsed = eventSchema.safeParse(payload);
	if (!parsed.success) return { status: 400, reason: 'The body is not a message event' };

	const { event, timestamp, data } = parsed.data;
	const { maxAgeSeconds, events, templateNames, fromNumbers } = subscription;
	// Written so that a time which is none, such as one with the offset +99:99, is no young one.
	if (maxAgeSeconds > 0 && !(now - Date.parse(timestamp) <= maxAgeSeconds * 1_000)) {
		return { status: 400, reason: `The event is older than ${maxAgeSeconds} seconds` };
	}
	if (!events.includes(event)) return { status: 200, reason: `Not subscribed to ${event}` };
	if (!passes(templateNames, data.templateName) || !passes(fromNumbers, digits(data.from))) {
		return { status: 200, reason: 'Filtered out' };
	}
	return { payload: payload as IDataObject, key: `${event} ${data.providerMessageId}` };
}

const passes = (wanted: string[], value: string | null | undefined): boolean =>
	wanted.length === 0 || (typeof value === 'string' && wanted.includes(value));

/** A phone number without its formatting. */
export const digits = (value: number | string | null | undefined): string =>
	String(value ?? '').replace(/\D/g, '');

function parseJson(rawBody: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody)) as unknown;
	} catch {
		return undefined;
	}
}
