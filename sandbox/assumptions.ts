import { z } from 'zod';

type Setting = string | number | boolean;

/** A question that docs/service.md leaves open, and what the sandbox can assume for an answer. */
export interface Question<Value extends Setting = Setting> {
	/** Where it is asked in docs/service.md. */
	section: string;
	text: string;
	/** The settings worth a test, the default first; numbers may have any other value that fits. */
	settings: readonly Value[];
	schema: z.ZodType<Value>;
}

function oneOf<const Value extends Setting>(
	section: string,
	text: string,
	...settings: [Value, Value, ...Value[]]
): Question<Value> {
	const isSetting = (value: unknown) => settings.some((one) => one === value);
	const schema = z.custom<Value>(isSetting, `must be one of ${settings.join(', ')}`);
	return { section, text, settings, schema };
}

function number(
	section: string,
	text: string,
	[min, max]: [min: number, max: number],
	...settings: [number, number, ...number[]]
): Question<number> {
	return { section, text, settings, schema: z.number().int().min(min).max(max) };
}

const dayMs = 86_400_000;
const gibibyte = 1024 ** 3;

/** All assumptions that can be set; README.md names those that cannot. */
export const questions = {
	// Keys and environments
	testKeys: oneOf(
		'9.5, 10.18',
		'Records of test keys: apart from those of production keys, the same, or no test key is taken here (401)',
		'separate',
		'shared',
		'refused',
	),
	testBilling: oneOf('9.5, 10.18', 'What test keys send is charged, or free', 'charged', 'free'),
	configsScope: oneOf('10.13', '`GET /chat/configs` checks `chat:send`', false, true),
	uploadScope: oneOf('10.13', '`POST /chat/upload` checks `chat:send`', false, true),

	// Requests
	checkOrder: oneOf(
		'10.39',
		'Parameters are looked at before or after an empty balance',
		'parametersFirst',
		'balanceFirst',
	),
	unknownFields: oneOf('9.2', 'Fields and query parameters not documented', 'ignore', 'reject'),
	unknownIds: oneOf('7.2', 'Status for a `configId` or `mediaId` that does not exist', 400, 404),
	headerParameters: oneOf(
		'10.8',
		'`headerParameters`: any object, or one with a text as `type`',
		'any',
		'typed',
	),
	headerType: oneOf(
		'10.9',
		'`headerType`: any text, or image, video and document',
		'any',
		'mediaKinds',
	),
	parameterCount: oneOf('10.28', "A wrong number of a template's values", 'reject', 'accept'),
	blankParameters: oneOf('10.28', "A template's value that is blank", 'accept', 'reject'),
	otherLanguage: oneOf(
		'4.5',
		'A template in a language that it is not approved for',
		'reject',
		'accept',
	),
	multipartConfigId: oneOf(
		'10.30',
		'`configId` in a multipart form is used, or ignored',
		'use',
		'ignore',
	),
	headerMedia: oneOf('10.41', '`headerMediaId` must exist', false, true),
	mediaLifetimeMs: number(
		'10.41',
		'How long an uploaded file lasts, in milliseconds',
		[1, 1_000 * dayMs],
		30 * dayMs,
		dayMs / 24,
	),
	maxFileBytes: number('10.17', 'Size of the largest file', [1, gibibyte], gibibyte, 16_000_000),
	mediaFormats: oneOf(
		'4.6',
		'Media of another kind than `type`, and formats that are not named, get 400',
		true,
		false,
	),
	fromNumber: oneOf(
		'4.13',
		'`fromNumber`: any, one of 10 digits or more, or one that the account owns',
		'any',
		'tenDigits',
		'owned',
	),
	unknownRoute: oneOf('4.13', 'A `voiceRoute` that is none: 400, or `auto`', 'reject', 'auto'),
	nationalNumbers: oneOf(
		'10.26',
		'Calls to ten digits without `+`: to India, or as given',
		'indian',
		'asGiven',
	),
	chatSendCost: number('10.31', 'Credits for `POST /chat/send`', [0, 1_000], 1, 0, 3),
	badRecipient: oneOf(
		'10.29',
		'A bad recipient of a bulk request: 400 for the whole, or a failed message',
		'rejectAll',
		'fail',
	),
	bulkCharge: oneOf(
		'10.29',
		'A campaign is charged on acceptance (402 if it is short), or message by message',
		'whole',
		'perMessage',
	),
	duplicateWebhookUrl: oneOf('10.34', 'A URL that is registered already', 'allow', 'reject'),
	loopbackWebhooks: oneOf(
		'4.10',
		'Webhook URLs of this computer may be plain HTTP, against the documentation',
		'http',
		'https',
	),

	// Responses
	balance: oneOf('4.2', '`GET /balance`: with `user`, or flat', 'nested', 'flat'),
	furtherFields: oneOf('9.2, 10.3', 'Fields beyond the documented ones', 'none', 'some'),
	timestamps: oneOf(
		'2.3',
		'ISO 8601 in UTC with milliseconds, with seconds, or with an offset',
		'utc',
		'seconds',
		'offset',
	),
	chatNumbers: oneOf('4.16', 'Chat numbers in responses and events', 'digits', 'plus'),
	voiceNumbers: oneOf('10.26', 'Numbers of calls in responses', 'plus', 'digits'),
	qualityRating: oneOf('10.2', '`qualityRating` of a number', 'GREEN', 'YELLOW', 'UNKNOWN'),
	mediaResponse: oneOf(
		'10.10',
		'`POST /chat/send-media`: like send-template, `success` alone, or without `success`',
		'full',
		'minimal',
		'bare',
	),
	webhookList: oneOf(
		'10.11',
		'`GET /chat/webhooks`: `{webhooks}`, an array, or `{success, data}`',
		'webhooks',
		'array',
		'data',
	),
	webhookFields: oneOf(
		'10.11',
		'Listed webhooks: all fields but `secret`, or `id`, `url` and `events`',
		'all',
		'short',
	),
	webhookDelete: oneOf(
		'10.12',
		'`DELETE /chat/webhooks`: `{success, message}`, or nothing',
		'message',
		'empty',
	),
	screenshot: oneOf(
		'10.7',
		'`screenshot`: Base64, a URL, null or an object',
		'base64',
		'url',
		'null',
		'object',
	),
	errorTexts: oneOf(
		'10.38',
		'Texts of errors, where they are not documented',
		'descriptive',
		'generic',
	),
	remainingBalance: oneOf('10.31', '`remainingBalance` counts', 'credits', 'money'),
	callLabels: oneOf(
		'3.3',
		'Labels of calls: Started, Success and Failed, or one per status',
		'three',
		'many',
	),
	callLogId: oneOf(
		'10.24',
		'`id` of a call-log entry: the `callId`, its own, or its own with `callId` beside it',
		'callId',
		'own',
		'ownWithCallId',
	),
	callLogTotal: oneOf(
		'4.14',
		'`page`, `pageSize`, `total` and `totalPages`: in `pagination` as documented, or beside `data`',
		'nested',
		'topLevel',
	),

	// Lists
	listOrder: oneOf(
		'10.19',
		'Order of messages and calls, as they were added or by their ids',
		'newestFirst',
		'oldestFirst',
		'byId',
	),
	shortListOrder: oneOf(
		'10.19',
		'Order of numbers and webhooks',
		'oldestFirst',
		'newestFirst',
		'byId',
	),
	overLimit: oneOf('10.20', 'A `limit` or `pageSize` above the maximum', 'clamp', 'reject'),
	totalWithStatus: oneOf(
		'10.21',
		'`total` of `GET /chat/campaigns` counts the messages with the `status`, or all',
		'filtered',
		'all',
	),
	statsWithStatus: oneOf(
		'10.21',
		'`stats` count all messages, or those with the `status`',
		'all',
		'filtered',
	),
	search: oneOf(
		'10.25',
		'`search` finds digits anywhere, at the start, or whole numbers',
		'anywhere',
		'start',
		'whole',
	),
	dayZone: oneOf(
		'10.25',
		'Time zone of the days `from` and `to`',
		'UTC',
		'Asia/Kolkata',
		'America/New_York',
	),
	dateWithTime: oneOf(
		'4.14',
		'A `from` with a time: from this time, the start of its day, or 400',
		'exact',
		'day',
		'reject',
	),
	recordDelayMs: number(
		'10.33',
		'Milliseconds until a message or call appears in lists',
		[0, dayMs],
		0,
		300,
	),
	chatSendRecords: oneOf(
		'10.22',
		'Messages of `POST /chat/send` have records and events, have them without a `providerMessageId`, or have none',
		'full',
		'withoutProviderId',
		'none',
	),

	// What happens later
	callSteps: oneOf(
		'10.5',
		'A call goes through every status, from `initiated` to the last at once, or stays `answered` when it has ended',
		'each',
		'skip',
		'stayAnswered',
	),
	signature: oneOf(
		'10.35',
		'The signature: hex or Base64, bare or after `sha256=`',
		'hex',
		'base64',
		'prefixedHex',
		'prefixedBase64',
	),
	deliveryTimeoutMs: number(
		'10.16',
		'Milliseconds that a receiver has to respond',
		[1, dayMs],
		10_000,
		200,
	),
};

type Questions = typeof questions;
export type AssumptionName = keyof Questions;

/** A setting for each question. */
export type Assumptions = { [Name in AssumptionName]: Questions[Name]['settings'][number] };

const names = Object.keys(questions) as AssumptionName[];

/** Settings for some of the questions; refuses what is none. */
export const assumptionsSchema = z
	.object(Object.fromEntries(names.map((name) => [name, questions[name].schema.optional()])))
	.strict() as unknown as z.ZodType<Partial<Assumptions>>;

/** The default of every question, but for those in `changes`. */
export function assume(changes: Partial<Assumptions> = {}): Assumptions {
	const defaults = Object.fromEntries(names.map((name) => [name, questions[name].settings[0]]));
	return { ...(defaults as Assumptions), ...assumptionsSchema.parse(changes) };
}
