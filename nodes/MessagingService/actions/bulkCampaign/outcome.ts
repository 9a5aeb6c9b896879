import type { IDataObject } from 'n8n-workflow';
import { lists, timeIn } from '../../api/lists';
import { withoutFormatting } from '../../parameters/phone';

/** A row of a campaign. */
export interface OutcomeRow {
	/** Digits as they went out; undefined if nothing can have gone out to the row. */
	phone: string | undefined;
	/** Milliseconds: its record is not older, however much the clocks differ. */
	since: number;
	/** Milliseconds from which a record is certainly not that of an older message. */
	created: number;
}

/** What became of a row (docs/contract.md, section 3). */
export interface Delivery extends IDataObject {
	/** That of its record, `notListed` without one, `ambiguous` where it could be another's. */
	status: IDataObject[string];
	record: IDataObject | null;
}

/** What there is to one number. */
interface Recipient {
	newest?: IDataObject;
	/** Times of the newest two records; -Infinity for none. */
	times: [number, number];
	/** Rows that the newest record fits. */
	rows: number;
}

/** The number that a message record went to, as digits. */
export const recipientOf = ({ to }: IDataObject): string =>
	typeof to === 'object' ? '' : withoutFormatting(String(to));

/**
 * Finds the record of each row: the one that fits no other row where no other fits the row. A record
 * fits a row if it went to its number and is not older than the row; one whose time cannot be read
 * may fit every row to its number, so it decides none.
 *
 * @returns one for each row, in their order, whatever the order of the records
 */
export function deliveriesOf(rows: OutcomeRow[], records: IDataObject[]): Delivery[] {
	const recipients = new Map<string, Recipient>();
	for (const { phone } of rows) {
		if (phone !== undefined) recipients.set(phone, { times: [-Infinity, -Infinity], rows: 0 });
	}
	for (const record of records) {
		const recipient = recipients.get(recipientOf(record));
		if (!recipient) continue;
		const time = timeIn(record, lists.messages.time);
		const [first, second] = recipient.times;
		if (time === 0) recipient.times = [Infinity, Infinity];
		else if (time > first) {
			recipient.times = [time, first];
			recipient.newest = record;
		} else recipient.times = [first, Math.max(second, time)];
	}
	for (const { phone = '', since } of rows) {
		const recipient = recipients.get(phone);
		if (recipient && recipient.times[0] >= since) recipient.rows++;
	}
	return rows.map(({ phone = '', since, created }): Delivery => {
		const { newest, times, rows: fitting } = recipients.get(phone) ?? {};
		if (!times || times[0] < since) return { status: 'notListed', record: null };
		const isSure = times[0] >= created && times[1] < since && fitting === 1;
		if (!newest || !isSure) return { status: 'ambiguous', record: null };
		return { status: newest.status ?? 'ambiguous', record: newest };
	});
}
