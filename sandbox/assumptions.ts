import { mapValues } from 'lodash';
import { z } from 'zod';

/**
 * A question that docs/service.md leaves open, and what the sandbox can assume for an answer.
 *
 * @param section of docs/service.md
 * @param settings the default first
 */
const question = <const Value extends string>(
	section: string,
	text: string,
	...settings: [Value, Value, ...Value[]]
) => ({ section, text, settings: settings as readonly Value[] });

/** All assumptions that can be set: those that a node may notice. README.md names the others. */
export const questions = {
	balance: question('4.2', '`GET /balance`: with `user`, or flat', 'nested', 'flat'),
	chatNumbers: question('4.16', 'Chat numbers in responses and events', 'digits', 'plus'),
	callLogId: question(
		'10.24',
		'`id` of a call-log entry: the `callId`, another ID, or another ID plus `callId`',
		'callId',
		'own',
		'ownWithCallId',
	),
	listOrder: question(
		'10.19',
		'Order of messages and calls, as they were added or by their ids',
		'newestFirst',
		'oldestFirst',
		'byId',
	),
	callSteps: question(
		'10.5',
		'A call goes through every status, or stays `answered` when it has ended',
		'each',
		'stayAnswered',
	),
	dashboardToken: question(
		'10.14',
		'Verification token of dashboard webhooks: in a header, in the query, in the body, or as key of an HMAC in a header',
		'header',
		'query',
		'body',
		'hmac',
	),
	dashboardCheck: question(
		'10.14',
		'The dashboard checks an address with a GET request',
		'none',
		'get',
	),
};

type Questions = typeof questions;

/** A setting for each question. */
export type Assumptions = { [Name in keyof Questions]: Questions[Name]['settings'][number] };

/** Settings for some of the questions; refuses what is none. */
export const assumptionsSchema = z
	.object(mapValues(questions, ({ settings }) => z.enum(settings as [string, ...string[]])))
	.partial()
	.strict() as unknown as z.ZodType<Partial<Assumptions>>;

/** The default of every question, but for those in `changes`. */
export const assume = (changes: Partial<Assumptions> = {}): Assumptions => ({
	...(mapValues(questions, ({ settings: [preset] }) => preset) as Assumptions),
	...assumptionsSchema.parse(changes),
});
