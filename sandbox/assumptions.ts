import { z } from 'zod';

type Setting = string | number;

/** A question that docs/service.md leaves open, and what the sandbox can assume for an answer. */
export interface Question<Value extends Setting = Setting> {
	/** Where it is asked in docs/service.md. */
	section: string;
	text: string;
	/** The default first. */
	settings: readonly Value[];
}

const question = <const Value extends Setting>(
	section: string,
	text: string,
	...settings: [Value, Value, ...Value[]]
): Question<Value> => ({ section, text, settings });

/** All assumptions that can be set: those that a node may notice. README.md names the others. */
export const questions = {
	// Responses
	balance: question('4.2', '`GET /balance`: with `user`, or flat', 'nested', 'flat'),
	furtherFields: question('9.2, 10.3', 'Fields beyond the documented ones', 'none', 'some'),
	timestamps: question(
		'2.3',
		'ISO 8601 in UTC with milliseconds, with seconds, or with an offset',
		'utc',
		'seconds',
		'offset',
	),
	chatNumbers: question('4.16', 'Chat numbers in responses and events', 'digits', 'plus'),
	voiceNumbers: question('10.26', 'Numbers of calls in responses', 'plus', 'digits'),
	mediaResponse: question(
		'10.10',
		'`POST /chat/send-media`: like send-template, `success` alone, or without `success`',
		'full',
		'minimal',
		'bare',
	),
	webhookList: question(
		'10.11',
		'`GET /chat/webhooks`: `{webhooks}`, an array, or `{success, data}`',
		'webhooks',
		'array',
		'data',
	),
	webhookFields: question(
		'10.11',
		'Listed webhooks: all fields but `secret`, or `id`, `url` and `events`',
		'all',
		'short',
	),
	webhookDelete: question(
		'10.12',
		'`DELETE /chat/webhooks`: `{success, message}`, or nothing',
		'message',
		'empty',
	),
	callLogId: question(
		'10.24',
		'`id` of a call-log entry: the `callId`, its own, or its own with `callId` beside it',
		'callId',
		'own',
		'ownWithCallId',
	),
	callLogTotal: question(
		'4.14',
		'`page`, `pageSize`, `total` and `totalPages`: in `pagination` as documented, or beside `data`',
		'nested',
		'topLevel',
	),

	// Lists
	listOrder: question(
		'10.19',
		'Order of messages and calls, as they were added or by their ids',
		'newestFirst',
		'oldestFirst',
		'byId',
	),
	shortListOrder: question(
		'10.19',
		'Order of numbers and webhooks',
		'oldestFirst',
		'newestFirst',
		'byId',
	),
	totalWithStatus: question(
		'10.21',
		'`total` of `GET /chat/campaigns` counts the messages with the `status`, or all',
		'filtered',
		'all',
	),
	statsWithStatus: question(
		'10.21',
		'`stats` count all messages, or those with the `status`',
		'all',
		'filtered',
	),
	dayZone: question(
		'10.25',
		'Time zone of the days `from` and `to`',
		'UTC',
		'Asia/Kolkata',
		'America/New_York',
	),
	recordDelayMs: question(
		'10.33',
		'Milliseconds until a message or call appears in lists',
		0,
		60_000,
	),

	// What happens later
	callSteps: question(
		'10.5',
		'A call goes through every status, from `initiated` to the last at once, or stays `answered` when it has ended',
		'each',
		'skip',
		'stayAnswered',
	),
};

type Questions = typeof questions;
export type AssumptionName = keyof Questions;

/** A setting for each question. */
export type Assumptions = { [Name in AssumptionName]: Questions[Name]['settings'][number] };

const names = Object.keys(questions) as AssumptionName[];

function settingOf({ settings }: Question): z.ZodType {
	const isSetting = (value: unknown) => settings.some((one) => one === value);
	return z.custom(isSetting, `must be one of ${settings.join(', ')}`).optional();
}

/** Settings for some of the questions; refuses what is none. */
export const assumptionsSchema = z
	.object(Object.fromEntries(names.map((name) => [name, settingOf(questions[name])])))
	.strict() as unknown as z.ZodType<Partial<Assumptions>>;

/** The default of every question, but for those in `changes`. */
export function assume(changes: Partial<Assumptions> = {}): Assumptions {
	const defaults = Object.fromEntries(names.map((name) => [name, questions[name].settings[0]]));
	return { ...(defaults as Assumptions), ...assumptionsSchema.parse(changes) };
}
