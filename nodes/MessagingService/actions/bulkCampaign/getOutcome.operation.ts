import { countBy, get, groupBy, map, mapValues, min, property, remove } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { lists, timeIn } from '../../api/lists';
import { clockSlack, readNewest } from '../../api/newest';
import { choiceField, momentField, severalField, shownWhere } from '../../parameters/fields';
import { checkChatPhone } from '../../parameters/phone';
import { choiceOf, choicesOf, requiredTimestampIn, requiredName } from '../../parameters/schemas';
import { filtersField } from '../../parameters/sharedFields';
import type { JoinedOperation, JoinedPlan } from '../../operation';
import { messageRecords } from '../chatMessage/waitForStatus';
import { columns, isNotSent, phoneColumn } from './recipients';

/** The delivery statuses of a row (docs/contract.md, section 3). */
const statuses = {
	Sent: 'Sent',
	Delivered: 'Delivered',
	Read: 'Read',
	Failed: 'Failed',
	notListed: ['Not Listed', 'No message record matches the row'],
	notSent: ['Not Sent', 'Create did not send the row, as its field notSent shows'],
	ambiguous: ['Ambiguous', 'It is unclear which message record belongs to the row'],
} as const;

const outputs = {
	rows: ['Rows', 'One item per row, with its delivery'],
	summary: ['Summary', 'One item with the number of rows per status'],
} as const;

/** GET /chat/campaigns, read once for all rows of a campaign (docs/contract.md, section 3). */
export const getOutcome: JoinedOperation = {
	kind: 'joined',
	value: 'getOutcome',
	action: 'Get outcome of bulk campaign',
	description: 'Get the delivery status of each row of a campaign',
	fields: [
		phoneColumn,
		momentField('sentAfter', 'Sent After', {
			required: true,
			default: '={{ $json.sentWith?.createdAt ?? $json.createdAt }}',
			placeholder: 'e.g. 2026-01-31T09:00:00Z',
			description:
				'When the campaign was created: the createdAt that Create returned, with its rows in sentWith. If a crash lost this value, enter the start of the execution, as shown in the list of executions. Older messages are ignored.',
		}),
		choiceField('output', 'Output', outputs, 'rows', { description: 'What to return' }),
		...shownWhere({ output: ['rows'] }, [
			filtersField([
				severalField('status', 'Status', statuses, [], {
					description: 'Returns only rows with one of these statuses',
				}),
			]),
		]),
	],
	plan: (reader, items) => {
		const phoneIn = property(reader.same('phoneField', columns(items, requiredName)));
		const isSummary = reader.same('output', choiceOf(outputs)) === 'summary';
		const wanted = isSummary ? [] : reader.same('filters.status', choicesOf(statuses));
		const timestamp = requiredTimestampIn(reader.same.timeZone);
		// A row that was not sent has no time.
		const rows = items.flatMap(({ json }, item): OutcomeRow[] => {
			if (isNotSent(json)) return [];
			const check = checkChatPhone(phoneIn(json));
			const created = reader(item)('sentAfter', timestamp);
			return [{ phone: 'phone' in check ? check.phone : undefined, created }];
		});
		const phones = new Set(map(rows, 'phone'));
		const earliest = min(map(rows, 'created')) ?? 0;
		const plan: JoinedPlan = {
			request: { endpoint: lists.messages.endpoint },
			items: [...items.keys()],
			facts: {},
			isPerItem: true,
			readAll: async (call) => {
				const selection = {
					limit: Infinity,
					since: earliest - clockSlack,
					undated: true,
					matches: (record: IDataObject) => phones.has(messageRecords.recipientIn(record)),
				};
				// After a simulated campaign, there is nothing to read.
				const records = rows.length > 0 ? await readNewest(call, lists.messages, selection) : [];
				const deliveries = deliveriesOf(rows, records).values();
				return items.map(({ json }) => ({
					...json,
					delivery: isNotSent(json) ? { status: 'notSent', record: null } : deliveries.next().value,
				}));
			},
		};
		return {
			plans: [plan],
			finish: (context, output) => {
				const counts = countBy(output, 'json.delivery.status');
				const named = map(counts, (count, status) => `${count} ${status}`).join(', ');
				context.addExecutionHints({ message: `Rows: ${items.length} (${named})` });
				if (isSummary) {
					const json = { total: items.length, ...mapValues(statuses, () => 0), ...counts };
					const pairedItem = [...items.keys()].map((item) => ({ item }));
					output.splice(0, items.length, { json, pairedItem });
				}
				if (wanted.length > 0)
					remove(output, ({ json }) => !wanted.includes(String(get(json, 'delivery.status'))));
			},
		};
	},
	nameRecord: () => 'a row',
};

export interface OutcomeRow {
	/** Digits as they were sent; undefined if the row has no valid number. */
	phone: string | undefined;
	/** Milliseconds, by n8n's clock. */
	created: number;
}

/** Whether a record from this time can belong to a row. Clocks may differ; 0 means that the time is unreadable. */
const timeFits = (time: number, { created }: OutcomeRow): boolean =>
	time === 0 || time >= created - clockSlack;

/**
 * The delivery of each row, for records in any order. A record matches a row if number and time fit, give or take
 * a minute. It belongs to the row if neither matches another and its time is not before `created`.
 */
export function deliveriesOf(rows: OutcomeRow[], records: IDataObject[]): IDataObject[] {
	const timed = records.map((record) => ({ record, time: timeIn(record, lists.messages.time) }));
	const listed = groupBy(timed, ({ record }) => messageRecords.recipientIn(record));
	const rowsByPhone = groupBy(rows, ({ phone }) => phone);
	return rows.map((row) => {
		const { phone = 'none', created } = row;
		const fitting = (listed[phone] ?? []).filter(({ time }) => timeFits(time, row));
		const [first] = fitting;
		if (!first) return { status: 'notListed', record: null };
		const { record, time } = first;
		const matchingRows = (rowsByPhone[phone] ?? []).filter((other) => timeFits(time, other));
		const isSure = fitting.length === 1 && time >= created && matchingRows.length === 1;
		return isSure
			? { status: record.status ?? 'ambiguous', record }
			: { status: 'ambiguous', record: null };
	});
}
