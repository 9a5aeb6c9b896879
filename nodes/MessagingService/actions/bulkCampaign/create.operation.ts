import type { IDataObject } from 'n8n-workflow';
import { Failure, InputFailure } from '../../api/failure';
import { endpoints } from '../../api/endpoints';
import { unknownShape } from '../../api/lists';
import { withoutEmpty } from '../../api/request';
import { flag, oneOf, requiredName, trimmed, wholeNumber } from '../../parameters/schemas';
import { accountOf } from '../account/getBalance.operation';
import { readNumber } from '../../parameters/sendingNumber';
import type { JoinedOperation, JoinedPlan, JoinedPlans } from '../../sending/operation';
import type { Read } from '../../parameters/read';
import { createCampaignFields, maxRecipients } from './create.fields';
import { checkRows, type BadRow, type Checked, type Chunking } from './recipients';
import { rowsOfItems, rowsOfJson, type Rows } from './rowReader';

/** Chat credits per message by kind of template (docs/service.md, section 8.2). */
const creditsPerMessage = { none: 0, marketing: 3, utility: 1 };

/** Bad rows that the message lists; the others are counted. */
const listedRows = 20;

/** POST /chat/bulk-send: campaigns from any number of recipients (docs/service.md, section 4.8). */
export const createCampaign: JoinedOperation = {
	kind: 'joined',
	value: 'create',
	name: 'Create',
	action: 'Create a bulk campaign',
	description: 'Send an approved template to many recipients, one campaign per 10,000',
	billable: true,
	id: 'campaignId',
	fields: createCampaignFields,
	plan: (reader, items) => {
		const read = reader(0);
		const rows =
			read('recipientsSource', oneOf(['inputItems', 'json'] as const)) === 'json'
				? rowsOfJson(read)
				: rowsOfItems(read, items);
		const removeDuplicates = read('options.removeDuplicates', flag);
		const checked = checkRows(rows.count, rows.at, removeDuplicates, chunking(read));
		refuse(read, rows.count, checked);
		return {
			plans: plansFor(checked, rows, removeDuplicates),
			notes: skippedNote(checked, rows),
		};
	},
	check: async (call, read, facts) => {
		const kind = readKind(read);
		if (kind === 'none') return;
		const recipients = facts.reduce((sum, { recipients: range }) => {
			const { from, to } = range as IDataObject;
			return sum + Number(to) - Number(from) + 1;
		}, 0);
		const needed = recipients * creditsPerMessage[kind];
		const response = await call({ endpoint: endpoints.getBalance });
		const { chatBalance } = accountOf(response);
		if (typeof chatBalance !== 'number') throw unknownShape(response, 'chatBalance');
		if (chatBalance >= needed) return;
		throw new Failure(
			`${recipients} recipients need ${needed} chat credits, but the account has ${chatBalance}`,
			{
				outcome: 'notSent',
				description:
					'Top up the chat credits on the dashboard or send to fewer recipients. No campaign was created.',
				facts: { recipients, needed, chatBalance },
			},
		);
	},
	nameRecord: ({ campaignId, recipients }) => {
		const { from, to } = recipients as IDataObject;
		return `campaign ${String(campaignId)} (recipients ${String(from)} to ${String(to)})`;
	},
};

const readKind = (read: Read): keyof typeof creditsPerMessage =>
	read('options.checkBalance', oneOf(['none', 'marketing', 'utility'] as const));

/** Nothing to send to, or bad rows that are not to be skipped. */
function refuse(read: Read, count: number, { bad }: Checked<Buffer>): void {
	if (count === 0) {
		throw new InputFailure(
			'There are no recipients',
			'Check what comes before this node. Nothing was sent.',
		);
	}
	readKind(read);
	const skips = read('options.invalidRecipients', trimmed) === 'skip';
	if (bad.length === 0 || skips) return;
	const listed = bad.slice(0, listedRows).map(worded).join('; ');
	const more = bad.length > listedRows ? `; and ${bad.length - listedRows} more` : '';
	throw new InputFailure(
		`${bad.length} of ${count} recipients cannot be sent to: ${listed}${more}`,
		'Correct these rows, or set the option Invalid Recipients to Skip Them. Nothing was sent.',
	);
}

const worded = ({ row, value, reason }: BadRow): string =>
	`row ${row} (${JSON.stringify(value)}): ${reason}`;

/** Chunks are written as JSON at once, the way they go out. */
function chunking(read: Read): Chunking<Buffer> {
	const size = read('options.chunkSize', wholeNumber(1, maxRecipients));
	const common = withoutEmpty({
		templateName: read('templateName', requiredName),
		configId: readNumber(read),
		language: read('language', trimmed),
	});
	return { size, make: (recipients) => Buffer.from(JSON.stringify({ ...common, recipients })) };
}

function plansFor(
	{ chunks, duplicates }: Checked<Buffer>,
	{ itemsOf }: Rows,
	removeDuplicates: boolean,
): JoinedPlan[] {
	let from = 1;
	return chunks.map(({ rows, chunk }) => {
		const recipients = { from, to: from + rows.length - 1 };
		from += rows.length;
		return {
			request: { endpoint: endpoints.sendBulk, body: chunk },
			items: itemsOf(rows),
			facts: { recipients, ...(removeDuplicates ? { duplicatesRemoved: duplicates } : {}) },
		};
	});
}

function skippedNote({ bad }: Checked<Buffer>, { itemsOf }: Rows): JoinedPlans['notes'] {
	if (bad.length === 0) return [];
	const items = itemsOf(bad.map(({ row }) => row - 1));
	return [{ json: { skippedCount: bad.length, skipped: bad as unknown as IDataObject[] }, items }];
}
