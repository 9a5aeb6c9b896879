import { map, uniq, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { BinaryFile } from '../../api/binaryFile';
import type { ApiRequest, Call } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import { InputFailure } from '../../api/failure';
import { choiceOf, flag, wholeNumber } from '../../parameters/schemas';
import type { IsLeftOut, JoinedOperation, JoinedPlan } from '../../operation';
import { templateCost } from '../chatMessage/sendTemplate.operation';
import { uploadFile } from '../media/upload.operation';
import { fields, invalidRecipients, maxRecipients, options, sources } from './create.fields';
import {
	campaignsOf,
	checkRow,
	itemRows,
	jsonRows,
	readHeader,
	type BadRow,
	type GoodRow,
} from './recipients';

/** Bad rows that the description lists; the others are counted. */
const listedRows = 20;

/** With more bad rows the message only counts them, and the description lists them. */
const mostInMessage = 3;

/** POST /chat/bulk-send: campaigns from any number of recipients (docs/service.md, section 4.8). */
export const createCampaign: JoinedOperation = {
	kind: 'joined',
	value: 'create',
	action: 'Create a bulk campaign',
	description: 'Send an approved template to many recipients, one campaign per 10,000',
	billable: true,
	cost: ({ body }) => {
		const { unit, marketing, utility } = templateCost;
		const { length } = recipientsIn(body);
		return { unit, marketing: marketing * length, utility: utility * length };
	},
	fields,
	options,
	plan: async (reader, items, isLeftOut) => {
		const { same, countryCodes } = reader;
		const header = await readHeader(reader, items);
		const isJson = same('recipientsSource', choiceOf(sources)) === 'json';
		const rowsOf = isJson ? jsonRows(reader, header) : itemRows(reader, items, header);
		const skips = same('options.invalidRecipients', choiceOf(invalidRecipients)) === 'skip';
		const removeDuplicates = same('options.removeDuplicates', flag);
		const size = same('options.chunkSize', wholeNumber(1, maxRecipients));
		const allowBlank = same('options.allowBlankParameters', flag);
		let count = 0;
		const campaigns = campaignsOf(reader, items).map(({ common, from }) => {
			const all: GoodRow[] = [];
			const bad: BadRow[] = [];
			for (const row of rowsOf(from)) {
				const number = count++;
				const recipient = checkRow(row, allowBlank, countryCodes);
				if (typeof recipient === 'string') bad.push({ ...row, number, reason: recipient });
				else all.push({ number, items: row.items, recipient });
			}
			const good = removeDuplicates ? uniqBy(all, 'recipient.phone') : all;
			return { common, from, good, bad, duplicates: all.length - good.length };
		});
		if (count === 0) {
			throw new InputFailure('There are no recipients', 'Check what comes before this node.');
		}
		const bad = campaigns.flatMap((one) => one.bad);
		if (bad.length > 0 && !skips) throw refusal(bad, count);
		// By n8n's clock: the response has no time. It is kept with the response, for a retry to give again.
		const createdAt = new Date().toISOString();
		const upload = header.file && uploading(header.file);
		const plans = campaigns.flatMap(({ common, good, bad: some, duplicates }) =>
			chunksOf(good, size, isLeftOut).map(({ from, rows }): JoinedPlan => {
				const to = from + rows.length - 1;
				const recipients = map(rows, 'recipient');
				const request = { endpoint: endpoints.sendBulk, body: { ...common, recipients } };
				return {
					request,
					items: uniq(map(rows, 'items')).flat(),
					rows: Uint32Array.from(rows, ({ number }) => number),
					recipients: map(recipients, 'phone'),
					campaign: Object.values(common).join(' '),
					prepare: upload && (async (call) => await upload(call, request, common.configId)),
					follow: async (response) => await Promise.resolve({ ...response, createdAt }),
					facts: {
						...(campaigns.length > 1 ? common : {}),
						recipients: { from, to },
						...(removeDuplicates ? { duplicatesRemoved: duplicates } : {}),
						...(skips ? skippedFacts(some.filter(isAround(good, from, to))) : {}),
					},
				};
			}),
		);
		return {
			plans,
			// Of a campaign without a single good row there is no other item.
			notes: campaigns
				.filter((one) => one.good.length === 0 && one.bad.length > 0)
				.map((one) => ({ json: { total: 0, ...skippedFacts(one.bad) }, items: one.from })),
		};
	},
	nameRecord: ({ campaignId, recipients }) => {
		const { from, to } = recipients as IDataObject;
		// What a crash has taken the answer of has no id.
		const name = campaignId === undefined ? 'a campaign' : `campaign ${String(campaignId)}`;
		return `${name} (recipients ${String(from)} to ${String(to)})`;
	},
};

/** Rows that follow each other in chunks; what an earlier try has reached is in none. */
function chunksOf(good: GoodRow[], size: number, isLeftOut: IsLeftOut) {
	const chunks: Array<{ from: number; rows: GoodRow[] }> = [];
	for (const [index, row] of good.entries()) {
		if (isLeftOut(row.recipient.phone, row.number, row.items[0] ?? 0)) continue;
		const last = chunks.at(-1);
		// What a chunk holds is named by its first and last place: it ends at a gap.
		const follows = last && last.from - 1 + last.rows.length === index;
		if (follows && last.rows.length < size) last.rows.push(row);
		else chunks.push({ from: index + 1, rows: [row] });
	}
	return chunks;
}

/** Whether a bad row stands before or between those of a chunk, or behind the last of all. */
function isAround(good: GoodRow[], from: number, to: number): (bad: BadRow) => boolean {
	const after = good[from - 2]?.number ?? -1;
	const before = to === good.length ? Infinity : (good[to - 1]?.number ?? Infinity);
	return ({ number }) => number > after && number < before;
}

const recipientsIn = (body: ApiRequest['body']) =>
	(body as { recipients: IDataObject[] }).recipients;

/** Uploads a file once for each sending number: whether its media id holds for another is not documented. */
function uploading(file: BinaryFile) {
	const mediaIds = new Map<string, IDataObject[string]>();
	return async (call: Call, request: ApiRequest, configId = ''): Promise<ApiRequest> => {
		const headerMediaId =
			mediaIds.get(configId) ?? (await uploadFile(call, file, configId)).mediaId;
		mediaIds.set(configId, headerMediaId);
		const recipients = recipientsIn(request.body).map((one) => ({ ...one, headerMediaId }));
		return { ...request, body: { ...request.body, recipients } };
	};
}

/** Bad rows that are not to be skipped: one line each. */
function refusal(bad: BadRow[], count: number): InputFailure {
	const lines = bad
		.slice(0, listedRows)
		.map((row) => `${row.name}, ${JSON.stringify(inShort(row.recipient.phone))}: ${row.reason}`);
	if (bad.length > listedRows) lines.push(`and ${bad.length - listedRows} more`);
	const headline = `${bad.length} of ${count} recipients cannot be sent to`;
	const advice = 'Correct these rows, or set the option Invalid Recipients to Skip Them.';
	return bad.length > mostInMessage
		? new InputFailure(headline, [advice, ...lines.map((line) => `${line}.`)].join('\n'))
		: new InputFailure(`${headline}: ${lines.join('; ')}`, advice);
}

/** The phone number of a bad row as it came, whatever it is. */
const inShort = (value: unknown): string =>
	(typeof value === 'object' && value ? JSON.stringify(value) : String(value ?? '')).slice(0, 40);

/** What the item of a campaign says of the rows that are not in it. */
const skippedFacts = (bad: BadRow[]): IDataObject => ({
	skippedCount: bad.length,
	skipped: bad.map(({ place, recipient, reason }) => ({
		...place,
		value: inShort(recipient.phone),
		reason,
	})),
});
