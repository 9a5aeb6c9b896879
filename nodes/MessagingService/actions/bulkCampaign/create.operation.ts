import { sumBy } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Call } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import { InputFailure, type Failure } from '../../api/failure';
import { flag, oneOf, wholeNumber } from '../../parameters/schemas';
import { asInputFailure, type Reader } from '../../parameters/read';
import { fingerprint } from '../../sending/identity';
import type { JoinedOperation } from '../../operation';
import { campaignsOf } from './campaigns';
import { chunksOf, type Row, type BadRow, type Chunking } from './chunks';
import { createCampaignFields, maxRecipients } from './create.fields';
import { readHeader, rowsOfItems, rowsOfJson, type Rows } from './rows';

const sources = oneOf(['inputItems', 'json'] as const);

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
	id: 'campaignId',
	fields: createCampaignFields,
	plan: async (reader, items, leftOut) => {
		const header = await readHeader(reader, items);
		const source = reader.same('recipientsSource', sources);
		const rows =
			source === 'json'
				? rowsOfJson(reader, items.length, header)
				: rowsOfItems(reader, items, header);
		if (rows.count === 0 && rows.failures.size === 0) {
			throw new InputFailure('There are no recipients', 'Check what comes before this node.');
		}
		const chunking = { ...readChunking(reader), paramName: rows.paramName, leftOut };
		const skips =
			reader.same('options.invalidRecipients', oneOf(['stop', 'skip'] as const)) === 'skip';
		const { campaigns, homeless } = campaignsOf(reader, rows);
		const refused = [...homeless].map(([item, failure]) => ({ items: [item], failure }));
		// By n8n's clock: the response has no time. It is kept with the response, for a retry to give again.
		const createdAt = new Date().toISOString();
		const checked = campaigns.flatMap((campaign) => {
			const refuse = (failure: Failure) => {
				const numbers = campaign.numbers ?? Array.from({ length: campaign.count }, (_, row) => row);
				const from = new Set([...rows.itemsOf(numbers), ...campaign.failures.keys()]);
				refused.push({ items: [...from].sort((a, b) => a - b), failure });
				return [];
			};
			for (const failure of campaign.failures.values()) return refuse(failure);
			const make = (recipients: Row[]) => ({
				body: Buffer.from(JSON.stringify({ ...campaign.common, recipients })),
				recipients: fingerprint(recipients.map(({ phone }) => phone)),
			});
			try {
				const chunks = chunksOf({ ...rows, ...campaign }, { ...chunking, make });
				const { bad } = chunks;
				if (bad.length > 0 && !skips) return refuse(refusal(bad, campaign.count, rows));
				return [{ campaign, ...chunks }];
			} catch (error) {
				return refuse(asInputFailure(error, 0));
			}
		});
		return {
			refused,
			plans: checked.flatMap(({ campaign, chunks, duplicates }) =>
				chunks.map(({ from, rows: numbers, bad, made: { body, recipients } }) => {
					const request = { endpoint: endpoints.sendBulk, body };
					const { upload } = header;
					return {
						request,
						items: rows.itemsOf(numbers),
						rows: numbers,
						recipients,
						follow: async (response: IDataObject) =>
							await Promise.resolve({ ...response, createdAt }),
						facts: {
							...(campaigns.length > 1 ? campaign.common : {}),
							recipients: { from, to: from + numbers.length - 1 },
							...(chunking.removeDuplicates ? { duplicatesRemoved: duplicates } : {}),
							...(skips ? skippedFacts(bad, rows) : {}),
						},
						...(upload && {
							prepare: async (call: Call) => await upload(request, campaign.configId, call),
						}),
					};
				}),
			),
			// Of a campaign without a single good row there is no other item.
			notes: checked
				.filter(({ chunks, bad }) => chunks.length === 0 && bad.length > 0 && !leftOut.size)
				.map(({ bad }) => ({
					json: { total: 0, ...skippedFacts(bad, rows) },
					items: rows.itemsOf(bad.map(({ number }) => number)),
				})),
			finish: (context) => {
				tellSkipped(
					context,
					sumBy(checked, ({ bad }) => bad.length),
					rows.count,
				);
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

/** Reads how campaigns are cut and what their recipients may be; throws InputFailure. */
const readChunking = ({
	same: read,
	countryCodes,
}: Reader): Omit<Chunking<never>, 'make' | 'paramName'> => ({
	size: read('options.chunkSize', wholeNumber(1, maxRecipients)),
	removeDuplicates: read('options.removeDuplicates', flag),
	allowBlank: read('options.allowBlankParameters', flag),
	countryCodes,
});

/** Bad rows that are not to be skipped: one line each. */
function refusal(bad: BadRow[], count: number, { nameOf }: Rows): InputFailure {
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
const skippedFacts = (bad: BadRow[], { placeOf }: Rows): IDataObject => ({
	skippedCount: bad.length,
	skipped: bad.map(({ number, value, reason }) => ({ ...placeOf(number), value, reason })),
});

/** Says above the output how many rows were skipped. */
function tellSkipped(context: IExecuteFunctions, count: number, of: number): void {
	if (count === 0) return;
	context.addExecutionHints({
		message: `${count} of ${of} recipients were skipped: the field skipped says which, and why.`,
		location: 'outputPane',
	});
}
