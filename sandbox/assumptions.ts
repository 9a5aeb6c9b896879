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

/** All assumptions that can be set: those that a node may notice. README.md names the fixed ones. */
export const questions = {
	balance: question('4.2', '`GET /balance`: with `user`, or flat', 'nested', 'flat'),
	chatNumbers: question('4.16', 'Chat numbers in responses and events', 'digits', 'plus'),
	times: question(
		'10.47',
		'How times are written; `noZoneLocal`: those of India',
		'milliseconds',
		'wholeSeconds',
		'microseconds',
		'shortOffset',
		'spaceInsteadOfT',
		'noZone',
		'noZoneLocal',
	),
	failedTime: question('10.47', '`sentAt` of a message that failed', 'time', 'null'),
	clock: question(
		'10.47',
		"The service's clock, in seconds; `unknown`: no header `Date`",
		'same',
		'behind2',
		'behind90',
		'ahead90',
		'unknown',
	),
	ids: question('10.48', '`id` of messages and calls, and `callId`', 'text', 'number'),
	statusCase: question(
		'10.48',
		'Letters of `status` in message records',
		'title',
		'lower',
		'upper',
	),
	fields: question(
		'9.2',
		'Fields beyond the documented ones; or `null` for empty values, and as `error`',
		'documented',
		'more',
		'nulls',
	),
	successField: question('4.3', '`success` where no sample has it', 'absent', 'present'),
	messageSteps: question(
		'10.4',
		'A message goes through every status, skips `Delivered`, or fails after it',
		'each',
		'skipDelivered',
		'failLate',
	),
	callSteps: question(
		'10.5',
		'A call goes through every status, stays `answered` when it has ended, or skips to the end',
		'each',
		'stayAnswered',
		'skip',
	),
	mediaResponse: question(
		'10.10',
		'Response of send-media',
		'likeTemplate',
		'onlySuccess',
		'withoutSuccess',
		'nested',
	),
	webhookList: question(
		'10.11',
		'Wrapping of the list of webhooks',
		'webhooks',
		'data',
		'otherKey',
		'nested',
		'bare',
	),
	webhookFields: question(
		'10.11',
		'Fields in the list of webhooks',
		'all',
		'withoutEvents',
		'idAndUrl',
	),
	deleteResponse: question('10.12', 'Response to a deletion: a body, or 204', 'body', 'empty'),
	deleted: question(
		'10.12',
		'A deleted webhook is gone, or listed as inactive; deleting it again: 404',
		'gone',
		'inactive',
	),
	chatScopes: question(
		'10.13',
		'`/chat/configs` and `/chat/upload` check the scope',
		'unchecked',
		'checked',
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
	eventOrder: question(
		'10.16',
		'Order of events; each twice; or before the response to their send',
		'inOrder',
		'shuffled',
		'repeated',
		'beforeResponse',
	),
	listOrder: question(
		'10.19',
		'Order of messages and calls: as they were added, by their ids, or by their last change',
		'newestFirst',
		'oldestFirst',
		'byId',
		'byChange',
	),
	limits: question('10.20', 'A `limit` or `pageSize` above the maximum', 'reject', 'clamp'),
	counts: question(
		'10.21',
		'`total` counts the requested `status`, `stats` all messages; or both the same',
		'mixed',
		'requested',
		'all',
	),
	textRecords: question(
		'10.22',
		'Texts of `/chat/send` have records and events, without `providerMessageId`, or none',
		'all',
		'withoutId',
		'none',
	),
	callLogId: question(
		'10.24',
		'`id` of a call-log entry: the `callId`, another ID, or another ID plus `callId`',
		'callId',
		'own',
		'ownWithCallId',
	),
	search: question(
		'10.25',
		'`search` finds digits anywhere, or whole numbers',
		'anywhere',
		'whole',
	),
	callDays: question('10.25', 'Time zone of `from` and `to`', 'utc', 'india', 'hawaii'),
	voiceNumbers: question('10.26', 'Call numbers in responses', 'plus', 'digits'),
	nationalCalls: question(
		'10.26',
		'A call number of ten digits is Indian, or stays as it is',
		'indian',
		'asWritten',
	),
	bulkInvalid: question(
		'10.29',
		'An invalid recipient rejects a campaign, or is left out; `total` counts those taken, or all',
		'reject',
		'leaveOut',
		'leaveOutSilently',
	),
	recordDelay: question(
		'10.33',
		'A record is listed at once, or after `listedAfterMs`',
		'none',
		'late',
	),
	sameUrl: question(
		'10.34',
		'A URL that is registered already: a second one, in its place, or 400',
		'second',
		'replace',
		'reject',
	),
	signature: question('10.35', 'Signature of events', 'hex', 'base64', 'base64url', 'prefixed'),
	eventFields: question(
		'10.36',
		'Fields of events: all, or neither `from` nor an empty `templateName`; a reason in `message.failed`',
		'all',
		'minimum',
		'reason',
	),
	failures: question('10.40', '400 and 402, or 200 with `success: false`', 'status', 'success'),
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
