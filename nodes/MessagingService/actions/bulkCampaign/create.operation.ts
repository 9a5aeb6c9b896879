import { chunk, compact, map, omit, sortBy, sumBy, toPath, uniq, upperFirst } from 'lodash';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { BinaryFile } from '../../api/binaryFile';
import type { ApiRequest, Call } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import { InputFailure } from '../../api/failure';
import {
	choiceField,
	flagField,
	requiredField,
	shownWhere,
	textField,
	withToolDefault,
} from '../../parameters/fields';
import { nationalAdvice } from '../../parameters/phone';
import { readGuards } from '../../parameters/guards';
import { additionalFields, binaryField, sendingNumberField } from '../../parameters/sharedFields';
import { choiceOf, flag, requiredName } from '../../parameters/schemas';
import type { JoinedOperation, JoinedPlan, OutputItem } from '../../operation';
import {
	checkTemplateBalance,
	languageField,
	templateCost,
	templateNameField,
} from '../chatMessage/sendTemplate.operation';
import { allowBlankParameters } from '../chatMessage/templateParameters';
import { uploadFile } from '../media/upload.operation';
import {
	campaignsOf,
	checkRow,
	columnField,
	headers,
	itemRows,
	jsonRows,
	phoneColumn,
	readHeader,
	type CheckedRow,
	type NotSent,
	type RowSource,
} from './rows';

/** Maximum recipients of one request (docs/service.md, section 8.1). */
const maxRecipients = 10_000;

const sources = {
	inputItems: ['Input Items', 'One recipient per input item'],
	json: ['JSON', 'A JSON array of recipients'],
} as const;

const invalidRecipients = {
	stop: ['Stop', 'Send nothing and list the invalid recipients'],
	skip: ['Skip Them', 'Send to the others and list the skipped ones'],
} as const;

const outputs = {
	campaigns: ['Campaigns', 'One item per request, as the service responds'],
	rows: [
		'Rows',
		'One item per row: its fields, and sentWith or notSent. The preview shows Campaigns.',
	],
} as const;

const fromItems = { recipientsSource: ['inputItems'] };

const fields: INodeProperties[] = [
	templateNameField,
	// An AI model has no input items, but can write a list.
	...withToolDefault(
		choiceField('recipientsSource', 'Recipients', sources, 'inputItems', {
			description: 'Where the recipients come from',
		}),
		'json',
	),
	...shownWhere(fromItems, [
		phoneColumn,
		columnField('paramsFields', 'Parameter Fields', {
			requiresDataPath: 'multiple',
			placeholder: 'e.g. firstName, appointment.time',
			description:
				'Names of the input fields for the placeholders {{1}}, {{2}} and so on, in this order, separated by commas',
		}),
	]),
	textField('recipientsJson', 'Recipients (JSON)', {
		type: 'json',
		default: '[]',
		placeholder: 'e.g. [{"phone": "+447700900210", "params": ["Anna"]}]',
		description:
			'JSON array of recipients with phone, params, headerValue, headerMediaId and name. The arrays of all input items are combined.',
		displayOptions: { show: { recipientsSource: ['json'] } },
	}),
	choiceField('campaignHeader', 'Header', headers, 'none', {
		description: 'What to fill the header of the template with',
	}),
	...shownWhere({ ...fromItems, campaignHeader: ['perRecipient'] }, [
		columnField('headerValueField', 'Header Value Field', {
			placeholder: 'e.g. imageUrl',
			description: 'Name of the input field that holds the text or media URL of the header',
		}),
		columnField('headerMediaIdField', 'Header Media ID Field', {
			placeholder: 'e.g. mediaId',
			description: 'Name of the input field that holds the media ID of an uploaded header file',
		}),
	]),
	requiredField('headerValue', 'Header Value', {
		placeholder: 'e.g. https://host.example/image.png',
		description: 'Text or media URL of the header',
		displayOptions: { show: { campaignHeader: ['value'] } },
	}),
	requiredField('headerMediaId', 'Header Media ID', {
		placeholder: 'e.g. the mediaId of Media > Upload',
		description: 'Media ID of an uploaded header file',
		displayOptions: { show: { campaignHeader: ['mediaId'] } },
	}),
	...shownWhere({ campaignHeader: ['binary'] }, [binaryField]),
	choiceField('output', 'Output', outputs, 'campaigns', { description: 'What to return' }),
	additionalFields([
		languageField,
		...shownWhere({ '/recipientsSource': ['inputItems'] }, [
			columnField('nameField', 'Name Field', {
				placeholder: 'e.g. name',
				description:
					'Name of the input field that holds the name of the recipient, for reference only',
			}),
		]),
		sendingNumberField,
	]),
];

const options: INodeProperties[] = [
	allowBlankParameters,
	checkTemplateBalance,
	choiceField('invalidRecipients', 'Invalid Recipients', invalidRecipients, 'stop', {
		description: 'What to do with recipients that have invalid values',
	}),
	flagField('removeDuplicates', 'Skip Duplicates', {
		default: true,
		description: 'Whether to send only once to a number that appears several times in a campaign',
	}),
];

/** Maximum invalid rows that the failure's description lists; the rest are counted. */
const maxListedRows = 20;

/** POST /chat/bulk-send: campaigns from any number of recipients (docs/service.md, section 4.8). */
export const createCampaign: JoinedOperation = {
	kind: 'joined',
	value: 'create',
	action: 'Create bulk campaign',
	description: 'Send an approved template to many recipients, one campaign per 10,000',
	billable: true,
	cost: ({ body }) => {
		const { unit, marketing, utility } = templateCost;
		const { length } = recipientsIn(body);
		return { unit, marketing: marketing * length, utility: utility * length };
	},
	fields,
	options,
	plan: async (reader, items) => {
		const { same } = reader;
		const header = await readHeader(reader, items);
		const isJson = same('recipientsSource', choiceOf(sources)) === 'json';
		const source = isJson ? jsonRows(reader, header) : itemRows(reader, items, header);
		const skips = same('options.invalidRecipients', choiceOf(invalidRecipients)) === 'skip';
		const removeDuplicates =
			same.has('options.removeDuplicates') && same('options.removeDuplicates', flag);
		const allowBlank = same('options.allowBlankParameters', flag);
		const guards = readGuards(same);
		const isRows = same('output', choiceOf(outputs)) === 'rows';
		const groups = campaignsOf(reader, items).map(({ common, itemIndexes }): Group => {
			// There may be 100,000 rows, so each keeps only what is needed after its check.
			const rows = Array.from(source.rowsOf(itemIndexes), (row): CheckedRow => {
				const { fields: own, items: from, place, recipient } = row;
				const result = checkRow(row, allowBlank, same.account, guards);
				return { fields: own, items: from, place, phone: recipient.phone, ...result };
			});
			const seen = new Set<string>();
			// A number that is added again leaves the size of the set as it is.
			const repeated = rows.filter(
				({ checked }) => checked && seen.size === seen.add(checked.phone).size,
			);
			if (removeDuplicates) for (const row of repeated) row.notSent = { reason: 'duplicate' };
			const invalid = notSentFor('invalid', rows);
			const excluded = notSentFor('excluded', rows);
			const facts: IDataObject = {
				...(removeDuplicates && { duplicatesRemoved: repeated.length }),
				...(skips && { skippedCount: invalid.length, skipped: invalid.map(shownOf) }),
				...(guards.excluded && { excludedCount: excluded.length, excluded: excluded.map(shownOf) }),
			};
			return { common, itemIndexes, rows, facts, repeatedCount: repeated.length };
		});
		const all = groups.flatMap(({ rows }) => rows);
		if (all.length === 0)
			throw new InputFailure('There are no recipients', 'Check the input of this node.');
		const invalid = notSentFor('invalid', all);
		if (invalid.length > 0 && !skips)
			throw refusal(
				invalid,
				all.length,
				same.account.countryCodes,
				isJson ? undefined : same('phoneField', requiredName),
				source.nameOf,
			);
		const upload = header.file && uploading(header.file);
		const chunks = groups.flatMap(({ rows, ...group }) =>
			chunk(
				rows.filter(({ notSent }) => !notSent),
				maxRecipients,
			).map((sent, index) => ({ ...group, sent, index })),
		);
		const plans = chunks.map(({ common, facts, sent, index }): JoinedPlan => {
			const from = index * maxRecipients + 1;
			const recipients = compact(map(sent, 'checked'));
			// By the service's clock, because Get Outcome compares it with the times of messages.
			let created = Date.now();
			const request: ApiRequest = {
				endpoint: endpoints.sendBulk,
				body: { ...common, recipients },
				onTimed: (started, ahead = 0) => (created = started + ahead),
			};
			return {
				request,
				items: uniq(map(sent, 'items')).flat(),
				recipients: map(recipients, 'phone'),
				campaign: Object.values(common).join(' '),
				prepare: upload && (async (call) => await upload(call, request, common.configId)),
				// The response contains no time. With it, a retry outputs the same one.
				follow: async (response) =>
					await Promise.resolve({ ...response, createdAt: new Date(created).toISOString() }),
				facts: {
					...(groups.length > 1 ? common : {}),
					recipients: { from, to: from + sent.length - 1 },
					// The first request of a campaign also reports the rows that are not sent.
					...(index === 0 ? facts : {}),
				},
			};
		});
		const began = same.context.getExecutionContext()?.establishedAt;
		return {
			plans,
			output: isRows ? rowItems(all, map(chunks, 'sent'), began) : campaignItems(plans, groups),
			hints: hintsOf(groups, all, { isRows, removeDuplicates }),
		};
	},
	nameRecord: ({ campaignId, recipients }) => {
		const { from, to } = recipients as IDataObject;
		// After a crash, the response with the ID may be lost.
		const name = campaignId === undefined ? 'a campaign' : `campaign ${String(campaignId)}`;
		const which =
			from === to ? `recipient ${String(from)}` : `recipients ${String(from)} to ${String(to)}`;
		return `${name} (${which})`;
	},
};

type Campaign = ReturnType<typeof campaignsOf>[number];

/** A campaign with its rows. */
interface Group extends Campaign {
	/** All its rows, in the order of the input. */
	rows: CheckedRow[];
	/** What the output reports of the rows that are not sent. */
	facts: IDataObject;
	/** Number of rows that repeat a phone number. */
	repeatedCount: number;
}

const notSentFor = (reason: NotSent['reason'], rows: CheckedRow[]): CheckedRow[] =>
	rows.filter(({ notSent }) => notSent?.reason === reason);

/** One item per request, and one per campaign without any. */
const campaignItems = (plans: JoinedPlan[], groups: Group[]): OutputItem[] => [
	...plans.map(({ items }, plan): OutputItem => ({ items, plan, json: (record = {}) => record })),
	...groups
		.filter(({ rows }) => rows.length > 0 && rows.every(({ notSent }) => notSent))
		.map(({ itemIndexes, facts }) => ({
			items: itemIndexes,
			json: () => ({ total: 0, ...facts }),
		})),
];

/**
 * One item per row, in the order of the input.
 *
 * @param sent the rows of each request
 * @param began when the execution began, in milliseconds
 */
function rowItems(all: CheckedRow[], sent: CheckedRow[][], began?: number): OutputItem[] {
	const planOf = new Map(sent.flatMap((rows, plan) => rows.map((row) => [row, plan] as const)));
	return sortBy(all, 'items[0]').map((row) => rowItem(row, planOf.get(row), began));
}

const rowItem = (
	{ fields, items, notSent }: CheckedRow,
	plan: number | undefined,
	began = 0,
): OutputItem => ({
	items,
	plan,
	json: ({ campaignId = null, createdAt, alreadySent, idempotencyKey } = {}, isSimulated) => {
		// Rows of an earlier campaign have these already.
		const own = omit(fields, ['sentWith', 'notSent']);
		if (notSent) return { ...own, notSent };
		if (isSimulated) return { ...own, notSent: { reason: 'simulated' } };
		// After a crash, the response may be lost: the campaign is not older than its execution. With a key, another
		// execution may have created it.
		const lostTime = idempotencyKey === undefined ? new Date(began).toISOString() : null;
		return {
			...own,
			...(alreadySent === true && { alreadySent }),
			sentWith: { campaignId, createdAt: createdAt ?? lostTime },
		};
	},
});

/** What to report of the rows that were not sent, or sent repeatedly. */
function hintsOf(
	groups: Group[],
	rows: CheckedRow[],
	{ isRows, removeDuplicates }: { isRows: boolean; removeDuplicates: boolean },
): string[] {
	const invalid = notSentFor('invalid', rows);
	const excluded = notSentFor('excluded', rows);
	const repeated = sumBy(groups, 'repeatedCount');
	const some = (count: number) => `${count} of ${rows.length} recipients`;
	return compact([
		invalid.length > 0 &&
			`Skipped: ${some(invalid.length)}. The field ${isRows ? '"notSent" says why' : '"skipped" lists them'}.`,
		excluded.length > 0 &&
			`Excluded: ${some(excluded.length)}, who have opted out.${isRows ? '' : ' The field "excluded" lists them.'}`,
		repeated > 0 &&
			(removeDuplicates
				? isRows && `Skipped duplicates: ${some(repeated)}.`
				: `Repeated phone numbers: ${repeated} of ${rows.length}. To send to each number once the next time, turn on 'Skip Duplicates'.`),
	]);
}

const recipientsIn = (body: ApiRequest['body']) =>
	(body as { recipients: IDataObject[] }).recipients;

/**
 * Uploads a file once per sending number, because it is not documented whether a media ID is valid for another
 * sending number.
 */
function uploading(file: BinaryFile) {
	const mediaIds = new Map<string, IDataObject[string]>();
	return async (call: Call, request: ApiRequest, configId = ''): Promise<ApiRequest> => {
		const headerMediaId =
			mediaIds.get(configId) ?? (await uploadFile(call, file, configId)).mediaId;
		mediaIds.set(configId, headerMediaId);
		const recipients = recipientsIn(request.body).map((row) => ({ ...row, headerMediaId }));
		return { ...request, body: { ...request.body, recipients } };
	};
}

/**
 * The failure for invalid rows that are not skipped. A single row is named in the message; several are listed
 * in the description.
 */
function refusal(
	invalid: CheckedRow[],
	count: number,
	countryCodes: readonly string[],
	phoneField: string | undefined,
	nameOf: RowSource['nameOf'],
): InputFailure {
	const lines = linesOf(invalid, nameOf);
	const headline = `Invalid recipients: ${invalid.length} of ${count}`;
	const keys = toPath(phoneField).map((key) =>
		/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
	);
	const national = compact(
		invalid.map(({ phone }) => nationalAdvice(phone, countryCodes, `$json${keys.join('')}`)),
	)[0];
	const advice = compact([
		"Correct these rows, or set the option 'Invalid Recipients' to Skip Them.",
		phoneField !== undefined &&
			national &&
			`If the leading 0 is not dialed from abroad, put Edit Fields (Set) before this node and set the field to ${national}`,
	]).join(' ');
	return invalid.length === 1
		? new InputFailure(`${headline}. ${upperFirst(lines[0])}`, advice)
		: new InputFailure(headline, [advice, ...lines.map((line) => `${line}.`)].join('\n'));
}

/** Names invalid rows, the first ones with what is wrong. */
function linesOf(rows: CheckedRow[], nameOf: RowSource['nameOf']): string[] {
	const lines = rows.slice(0, maxListedRows).map(({ place, phone, notSent }) => {
		const name = nameOf(place);
		const shown = JSON.stringify(inShort(phone));
		const problem = String(notSent?.problem);
		return problem.includes(shown) ? `${name}: ${problem}` : `${name}, ${shown}: ${problem}`;
	});
	if (rows.length > maxListedRows) lines.push(`and ${rows.length - maxListedRows} more`);
	return lines;
}

/** The entered phone number, at most 40 characters. */
const inShort = (value: unknown): string =>
	(typeof value === 'object' && value ? JSON.stringify(value) : String(value ?? '')).slice(0, 40);

/** A row that is not sent, as the item of a campaign shows it. */
const shownOf = ({ place, phone, notSent }: CheckedRow): IDataObject => ({
	...place,
	value: inShort(phone),
	...(notSent?.problem !== undefined && { reason: notSent.problem }),
});
