import {
	chunk,
	compact,
	map,
	partition,
	pick,
	sumBy,
	toPath,
	uniq,
	uniqBy,
	upperFirst,
} from 'lodash';
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
import { readGuards } from '../../parameters/recipients';
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
	type LeftOutRow,
	type ValidRow,
} from './recipients';

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
		'One item per sent row with its own fields and sentWith, so that Get Outcome can follow. The preview shows Campaigns.',
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
		const rowsOf = isJson ? jsonRows(reader, header) : itemRows(reader, items, header);
		const skips = same('options.invalidRecipients', choiceOf(invalidRecipients)) === 'skip';
		const removeDuplicates = same('options.removeDuplicates', flag);
		const allowBlank = same('options.allowBlankParameters', flag);
		const guards = readGuards(same);
		const isRows = same('output', choiceOf(outputs)) === 'rows';
		const groups = campaignsOf(reader, items).map(({ common, itemIndexes }) => {
			const all: ValidRow[] = [];
			const leftOut: LeftOutRow[] = [];
			for (const row of rowsOf(itemIndexes)) {
				const checked = checkRow(row, allowBlank, same.account, guards);
				if (checked === null || typeof checked === 'string')
					leftOut.push({ ...row, reason: checked });
				else all.push({ ...pick(row, ['items', 'fields']), recipient: checked });
			}
			const unique = uniqBy(all, 'recipient.phone');
			const valid = removeDuplicates ? unique : all;
			const [excluded, invalid] = partition(leftOut, { reason: null });
			const leftOutFacts: IDataObject = {
				...(skips && { skippedCount: invalid.length, skipped: invalid.map(shownOf) }),
				...(guards.excluded && { excludedCount: excluded.length, excluded: excluded.map(shownOf) }),
			};
			const count = all.length + leftOut.length;
			const duplicates = all.length - unique.length;
			return { common, itemIndexes, count, valid, invalid, excluded, leftOutFacts, duplicates };
		});
		const count = sumBy(groups, 'count');
		if (count === 0)
			throw new InputFailure('There are no recipients', 'Check the input of this node.');
		const invalid = groups.flatMap((one) => one.invalid);
		if (invalid.length > 0 && !skips)
			throw refusal(
				invalid,
				count,
				same.account.countryCodes,
				isJson ? 'phone' : same('phoneField', requiredName),
			);
		const began = same.context.getExecutionContext()?.establishedAt;
		const upload = header.file && uploading(header.file);
		const plans = groups.flatMap(({ common, valid, leftOutFacts, duplicates }) =>
			chunk(valid, maxRecipients).map((rows, index): JoinedPlan => {
				const from = index * maxRecipients + 1;
				const recipients = map(rows, 'recipient');
				// By the service's clock, because Get Outcome compares it with the times of messages.
				let created = Date.now();
				const request: ApiRequest = {
					endpoint: endpoints.sendBulk,
					body: { ...common, recipients },
					onTimed: (began, ahead = 0) => (created = began + ahead),
				};
				return {
					request,
					items: uniq(map(rows, 'items')).flat(),
					recipients: map(recipients, 'phone'),
					campaign: Object.values(common).join(' '),
					...(isRows && { itemsOf: rowItems(rows, began) }),
					prepare: upload && (async (call) => await upload(call, request, common.configId)),
					// The response contains no time. With it, a retry outputs the same one.
					follow: async (response) =>
						await Promise.resolve({ ...response, createdAt: new Date(created).toISOString() }),
					facts: {
						...(groups.length > 1 ? common : {}),
						recipients: { from, to: from + rows.length - 1 },
						// The first request of a campaign also reports the rows that are not sent.
						...(index === 0 && removeDuplicates ? { duplicatesRemoved: duplicates } : {}),
						...(index === 0 ? leftOutFacts : {}),
					},
				};
			}),
		);
		return {
			plans,
			// A group without a valid row makes no request, so its extra item is its only output.
			extraItems: (isRows ? [] : groups)
				.filter(({ valid, count: rows }) => valid.length === 0 && rows > 0)
				.map(({ leftOutFacts, itemIndexes }) => ({
					json: { total: 0, ...leftOutFacts },
					items: itemIndexes,
				})),
			hints: hintsOf(groups, { count, isRows, removeDuplicates }),
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

/** The output items of a request with these rows, one per row. */
const rowItems =
	(rows: ValidRow[], began: number | undefined) =>
	({ campaignId = null, createdAt, alreadySent }: IDataObject): OutputItem[] =>
		rows.map(({ fields, items }) => ({
			json: {
				...fields,
				...(alreadySent === true && { alreadySent }),
				// After a crash, the response may be lost: the campaign is not older than its execution.
				sentWith: { campaignId, createdAt: createdAt ?? new Date(began ?? 0).toISOString() },
			},
			items,
		}));

interface Group {
	invalid: LeftOutRow[];
	excluded: LeftOutRow[];
	duplicates: number;
}

/** What to report of the rows that were not sent, or sent repeatedly. Rows as output don't show it. */
function hintsOf(
	groups: Group[],
	{
		count,
		isRows,
		removeDuplicates,
	}: { count: number; isRows: boolean; removeDuplicates: boolean },
): string[] {
	const invalid = groups.flatMap((one) => one.invalid);
	const excluded = groups.flatMap((one) => one.excluded);
	const repeated = sumBy(groups, 'duplicates');
	const listed = (rows: LeftOutRow[], field: string) =>
		isRows ? `${linesOf(rows).join('. ')}.` : `The field "${field}" lists them.`;
	return compact([
		invalid.length > 0 &&
			`Skipped: ${invalid.length} of ${count} recipients. ${listed(invalid, 'skipped')}`,
		excluded.length > 0 &&
			`Excluded: ${excluded.length} of ${count} recipients, who have opted out. ${listed(excluded, 'excluded')}`,
		repeated > 0 &&
			!removeDuplicates &&
			`Repeated phone numbers: ${repeated} of ${count}. To send to each number once, add 'Skip Duplicates'.`,
		isRows && repeated > 0 && removeDuplicates && `Skipped duplicates: ${repeated} of ${count}.`,
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
	invalid: LeftOutRow[],
	count: number,
	countryCodes: readonly string[],
	phoneField: string,
): InputFailure {
	const lines = linesOf(invalid);
	const headline = `Invalid recipients: ${invalid.length} of ${count}`;
	const keys = toPath(phoneField).map((key) =>
		/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
	);
	const national = compact(
		invalid.map(({ recipient }) =>
			nationalAdvice(recipient.phone, countryCodes, `$json${keys.join('')}`),
		),
	)[0];
	const advice = compact([
		"Correct these rows, or set the option 'Invalid Recipients' to Skip Them.",
		national &&
			`For national numbers, put Edit Fields (Set) before this node and set the field to ${national}`,
	]).join(' ');
	return invalid.length === 1
		? new InputFailure(`${headline}. ${upperFirst(lines[0])}`, advice)
		: new InputFailure(headline, [advice, ...lines.map((line) => `${line}.`)].join('\n'));
}

/** Names invalid or excluded rows, the first ones with their reasons. */
function linesOf(rows: LeftOutRow[]): string[] {
	const lines = rows.slice(0, maxListedRows).map(({ name, recipient, reason }) => {
		const phone = JSON.stringify(inShort(recipient.phone));
		if (reason === null) return `${name}, ${phone}`;
		return reason.includes(phone) ? `${name}: ${reason}` : `${name}, ${phone}: ${reason}`;
	});
	if (rows.length > maxListedRows) lines.push(`and ${rows.length - maxListedRows} more`);
	return lines;
}

/** The entered phone number, at most 40 characters. */
const inShort = (value: unknown): string =>
	(typeof value === 'object' && value ? JSON.stringify(value) : String(value ?? '')).slice(0, 40);

/** A row that is not sent, as the output shows it; one whose recipient has opted out has no reason. */
const shownOf = ({ place, recipient, reason }: LeftOutRow): IDataObject => ({
	...place,
	value: inShort(recipient.phone),
	...(reason !== null && { reason }),
});
