import {
	attempt,
	compact,
	countBy,
	get,
	groupBy,
	isError,
	keyBy,
	map,
	mapValues,
	min,
	pick,
	property,
	remove,
	sortBy,
} from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { ServiceClock } from '../../api/clock';
import { hasOffset, isOlder, lists, statusOf, timeIn, widestZone } from '../../api/lists';
import { idOf, readNewest } from '../../api/newest';
import { textOf } from '../../api/response';
import { choiceField, momentField, severalField, shownWhere } from '../../parameters/fields';
import { checkChatPhone } from '../../parameters/phone';
import { choiceOf, choicesOf, requiredTimestampIn, requiredName } from '../../parameters/schemas';
import { filtersField } from '../../parameters/sharedFields';
import type { JoinedOperation, JoinedPlan } from '../../operation';
import { messageRecords } from '../chatMessage/waitForStatus';
import { columns, isNotSent, phoneColumn } from './rows';

/** The delivery statuses of a row (docs/contract.md, section 3). */
const statuses = {
	Sent: 'Sent',
	Delivered: 'Delivered',
	Read: 'Read',
	Failed: 'Failed',
	notListed: ['Not Listed', 'No message record matches the row, or it is not listed yet'],
	notSent: [
		'Not Sent',
		'Create left the row out, e.g. because the recipient has opted out: not for a second try',
	],
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
				'When the campaign was created: the createdAt that Create returned, with its rows in sentWith. If it is missing, enter the start of the execution. Older messages are ignored.',
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
		const isSummary = reader.same('output', choiceOf(outputs)) === 'summary';
		const wanted = isSummary ? [] : reader.same('filters.status', choicesOf(statuses));
		const timestamp = requiredTimestampIn(reader.same.timeZone);
		const known = items.map(({ json }) => knownDelivery(json));
		// A row that was not sent has no time, and the item of a failed request no fields.
		const isAllKnown = known.every((one) => one !== undefined);
		const phoneIn = isAllKnown
			? () => undefined
			: property(reader.same('phoneField', columns(items, requiredName)));
		const all = items.map(({ json }, item): Delivery | OutcomeRow => {
			const delivery = known[item];
			if (delivery) return delivery;
			const check = checkChatPhone(phoneIn(json));
			const created = attempt(() => reader(item)('sentAfter', timestamp));
			if (!isError(created)) return { phone: 'phone' in check ? check.phone : undefined, created };
			// Only a row whose key another execution has used has no time.
			if (get(json, 'sentWith.createdAt') !== null) throw created;
			return ambiguous('another execution created their campaign, at an unknown time');
		});
		const rows = all.filter((one) => 'created' in one);
		const phones = new Set(map(rows, 'phone'));
		const earliest = min(map(rows, 'created')) ?? 0;
		let unclear: string[] = [];
		const plan: JoinedPlan = {
			request: { endpoint: lists.messages.endpoint },
			items: [...items.keys()],
			facts: {},
			isPerItem: true,
			readAll: async (call) => {
				const clock = new ServiceClock();
				const selection = {
					limit: Infinity,
					since: () => earliest - clock.tolerance,
					anyZone: true,
					matches: (record: IDataObject) => phones.has(messageRecords.recipientIn(record)),
				};
				// After a simulated campaign, there is nothing to read.
				const records =
					rows.length > 0 ? await readNewest(clock.timed(call), lists.messages, selection) : [];
				const read = deliveriesOf(rows, records, clock.tolerance).values();
				const deliveries = all.map((one) => ('created' in one ? read.next().value : one));
				unclear = compact(map(deliveries, 'unclear'));
				return items.map(({ json }, item) => ({
					...json,
					delivery: pick(deliveries[item], ['status', 'record']),
				}));
			},
		};
		return {
			plans: [plan],
			finish: (context, output) => {
				const counts = countBy(output, 'json.delivery.status');
				const named = map(counts, (count, status) => `${count} ${status}`).join(', ');
				const why = map(countBy(unclear), (count, reason) => ` ${count} ambiguous: ${reason}.`);
				const early = counts.Sent ? '. Those that are Sent can still fail or be delivered.' : '';
				context.addExecutionHints({
					message: `Rows: ${items.length} (${named})${early}${why.join('')}`,
				});
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
	/** When its campaign was created, in milliseconds of the service's clock. */
	created: number;
}

interface Delivery {
	status: string;
	record: IDataObject | null;
	/** Why the status is ambiguous. */
	unclear?: string;
}

const ambiguous = (unclear: string): Delivery => ({ status: 'ambiguous', record: null, unclear });

/** The delivery of a row that Create did not send, or of the failed item of a request; undefined for others. */
function knownDelivery(row: IDataObject): Delivery | undefined {
	const outcome = row.error === undefined ? undefined : get(row, 'details.outcome');
	if (outcome === 'unknown') return ambiguous('it is unknown whether their request was sent');
	const isUnsent = isNotSent(row) || outcome === 'notSent' || outcome === 'rejected';
	return isUnsent ? { status: 'notSent', record: null } : undefined;
}

const { time: sentAt } = lists.messages;

/** Zones differ from UTC by an hour or more (milliseconds). */
const nextZone = 60 * 60 * 1_000;

/**
 * The delivery of each row, for records in any order: the first record to its number that is not older than the
 * campaign, compared as exactly as its time is written. Of two rows of one campaign to a number, the first gets the
 * first. A row is ambiguous if the records do not show which one is its own.
 *
 * @param tolerance milliseconds by which the service's clock may differ from that of `created`
 */
export function deliveriesOf(
	rows: OutcomeRow[],
	records: IDataObject[],
	tolerance: number,
): Delivery[] {
	const sorted = sortBy(records, (record) => timeIn(record, sentAt));
	const listed = groupBy(sorted, messageRecords.recipientIn);
	const campaignOf = ({ phone, created }: OutcomeRow) => `${phone} ${created}`;
	const places: Record<string, number> = {};
	const candidates = mapValues(keyBy(rows, campaignOf), ({ phone = 'none', created }) =>
		candidatesFor(created, listed[phone] ?? [], tolerance),
	);
	const deliveries = rows.map((row) => {
		const campaign = campaignOf(row);
		const place = (places[campaign] = (places[campaign] ?? -1) + 1);
		const { fitting = [], unclear } = candidates[campaign] ?? {};
		if (unclear !== undefined) return ambiguous(unclear);
		const record = fitting[place];
		if (!record) return { status: 'notListed', record: null };
		const isLike = (other?: IDataObject) =>
			other !== undefined && timeIn(other, sentAt) === timeIn(record, sentAt);
		if (isLike(fitting[place - 1]) || isLike(fitting[place + 1]))
			return ambiguous('messages to the number have the same time');
		if (textOf(record.status) === '') return ambiguous('the record has no status');
		return { status: statusOf(record), record };
	});
	const uses = countBy(deliveries, ({ record }) => record && idOf(record));
	return deliveries.map((delivery) =>
		delivery.record && (uses[idOf(delivery.record)] ?? 0) > 1
			? ambiguous('one message fits rows of several campaigns')
			: delivery,
	);
}

/** The records to a number that can be of a campaign, oldest first, or why that is unclear. */
function candidatesFor(created: number, listed: IDataObject[], tolerance: number) {
	if (listed.some((record) => timeIn(record, sentAt) === Infinity))
		return { unclear: 'the time of a message to the number cannot be read' };
	const later = listed.filter((record) => !isOlder(record, sentAt, created));
	const isNear = (record: IDataObject) =>
		isOlder(record, sentAt, created) && !isOlder(record, sentAt, created - tolerance);
	if (listed.some(isNear))
		return {
			unclear: "the service's clock is unknown, and a message to the number is about as old",
		};
	// In another zone, a time without an offset is earlier or later by at least an hour.
	const fitting = later.filter((record) => {
		const age = timeIn(record, sentAt) - created;
		return hasOffset(record, sentAt) || age < nextZone || age > widestZone;
	});
	const isZoneUnclear =
		fitting.length === 0 && listed.some((record) => !isOlder(record, sentAt, created, true));
	return isZoneUnclear
		? { unclear: 'the time of a message to the number has no time zone' }
		: { fitting };
}
