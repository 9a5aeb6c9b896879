import type { IDataObject } from 'n8n-workflow';
import type { BinaryFile } from '../../api/binaryFile';
import type { ApiRequest, Call } from '../../api/client';
import { endpoints, withoutEmpty } from '../../api/endpoints';
import { InputFailure } from '../../api/failure';
import {
	flag,
	oneOf,
	requiredName,
	trimmed,
	wholeNumber,
	sendingNumber,
} from '../../parameters/schemas';
import type { JoinedOperation, JoinedPlan } from '../../operation';
import { uploadFile } from '../media/upload.operation';
import { chunksOf, type BadRow } from './chunks';
import { createCampaignFields, maxRecipients } from './create.fields';
import { readHeader, rowsOfItems, rowsOfJson, type Rows } from './rows';

const sources = oneOf(['inputItems', 'json'] as const);

const onInvalid = oneOf(['stop', 'skip'] as const);

/** Chat credits per message by kind of template (docs/service.md, section 8.2). */
const creditsPerMessage = { marketing: 3, utility: 1 };

/** Bad rows that the description lists; the others are counted. */
const listedRows = 20;

/** With more bad rows the message only counts them, and the description lists them. */
const mostInMessage = 3;

/** POST /chat/bulk-send: campaigns from any number of recipients (docs/service.md, section 4.8). */
export const createCampaign: JoinedOperation = {
	kind: 'joined',
	value: 'create',
	name: 'Create',
	action: 'Create a bulk campaign',
	description: 'Send an approved template to many recipients, one campaign per 10,000',
	billable: true,
	cost: ({ body }) => {
		const { recipients } = JSON.parse(String(body)) as { recipients: unknown[] };
		const { marketing, utility } = creditsPerMessage;
		const count = recipients.length;
		return { unit: 'chat credits', marketing: marketing * count, utility: utility * count };
	},
	fields: createCampaignFields,
	plan: async (reader, items, isLeftOut) => {
		const { same, countryCodes } = reader;
		const header = await readHeader(reader, items);
		const from = same('recipientsSource', sources) === 'json' ? rowsOfJson : rowsOfItems;
		const rows = from(reader, items, header);
		if (rows.count === 0) {
			throw new InputFailure('There are no recipients', 'Check what comes before this node.');
		}
		const configId = same('configId', sendingNumber);
		const common = withoutEmpty({
			templateName: same('templateName', requiredName),
			configId,
			language: same('language', trimmed),
		});
		const skips = same('options.invalidRecipients', onInvalid) === 'skip';
		const removeDuplicates = same('options.removeDuplicates', flag);
		const { chunks, bad, duplicates, good } = chunksOf(rows, {
			size: same('options.chunkSize', wholeNumber(1, maxRecipients)),
			removeDuplicates,
			allowBlank: same('options.allowBlankParameters', flag),
			countryCodes,
			isLeftOut,
			make: (recipients) => ({
				body: Buffer.from(JSON.stringify({ ...common, recipients })),
				recipients: recipients.map(({ phone }) => String(phone)),
			}),
		});
		if (bad.length > 0 && !skips) throw refusal(bad, rows);
		// By n8n's clock: the response has no time. It is kept with the response, for a retry to give again.
		const createdAt = new Date().toISOString();
		const upload = header.file && uploading(header.file, configId);
		const plans = chunks.map((chunk): JoinedPlan => {
			const { body, recipients } = chunk.made;
			const request = { endpoint: endpoints.sendBulk, body };
			return {
				request,
				items: rows.itemsOf(chunk.rows),
				rows: chunk.rows,
				recipients,
				follow: async (response) => await Promise.resolve({ ...response, createdAt }),
				facts: {
					recipients: { from: chunk.from, to: chunk.from + chunk.rows.length - 1 },
					...(removeDuplicates ? { duplicatesRemoved: duplicates } : {}),
					...(skips ? skippedFacts(chunk.bad) : {}),
				},
				...(upload && { prepare: async (call) => await upload(call, request) }),
			};
		});
		// Of a campaign without a single good row there is no other item.
		const note = { json: { total: 0, ...skippedFacts(bad) }, items: [...items.keys()] };
		return {
			plans,
			notes: good === 0 ? [note] : [],
			finish: (context) => {
				if (bad.length === 0) return;
				context.addExecutionHints({
					message: `${bad.length} of ${rows.count} recipients were skipped: the field skipped says which, and why.`,
					location: 'outputPane',
				});
			},
		};
	},
	nameRecord: ({ campaignId, recipients }) => {
		const { from, to } = recipients as IDataObject;
		// What a crash has taken the answer of has no id.
		const name = campaignId === undefined ? 'a campaign' : `campaign ${String(campaignId)}`;
		return `${name} (recipients ${String(from)} to ${String(to)})`;
	},
};

/** Uploads the file before the first request, and puts its media id into each. */
function uploading(file: BinaryFile, configId: string) {
	let mediaId: unknown;
	return async (call: Call, request: ApiRequest): Promise<ApiRequest> => {
		mediaId ??= (await uploadFile(call, file, configId)).mediaId;
		const body = JSON.parse(String(request.body)) as { recipients: unknown[] };
		const recipients = body.recipients.map((one) =>
			Object.assign(one as object, { headerMediaId: mediaId }),
		);
		return { ...request, body: Buffer.from(JSON.stringify({ ...body, recipients })) };
	};
}

/** Bad rows that are not to be skipped: one line each. */
function refusal(bad: BadRow[], { count, nameOf }: Rows): InputFailure {
	const lines = bad
		.slice(0, listedRows)
		.map(({ number, value, reason }) => `${nameOf(number)}, ${JSON.stringify(value)}: ${reason}`);
	const more = bad.length > listedRows ? [`and ${bad.length - listedRows} more`] : [];
	const headline = `${bad.length} of ${count} recipients cannot be sent to`;
	return new InputFailure(
		bad.length > mostInMessage ? headline : `${headline}: ${lines.join('; ')}`,
		[
			'Correct these rows, or set the option Invalid Recipients to Skip Them.',
			...(bad.length > mostInMessage ? [...lines, ...more].map((line) => `${line}.`) : []),
		].join('\n'),
	);
}

/** What the item of a campaign says of the rows that are not in it. */
const skippedFacts = (bad: BadRow[]): IDataObject => ({
	skippedCount: bad.length,
	skipped: bad.map(({ number, value, reason }) => ({ row: number + 1, value, reason })),
});
