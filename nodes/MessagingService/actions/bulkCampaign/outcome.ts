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
	/** Time of the newest record; -Infinity for none. */
	first: number;
	/** Time of the one before it. */
	second: number;
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
	// No record went to the number undefined.
	const recipients = new Map<string | undefined, Recipient>();
	const each = rows.map(({ phone, since, created }) => {
		const recipient = recipients.get(phone) ?? { first: -Infinity, second: -Infinity, rows: 0 };
		recipients.set(phone, recipient);
		return { recipient, since, created };
	});
	for (const record of records) {
		const recipient = recipients.get(recipientOf(record));
		if (!recipient) continue;
		const time = timeIn(record, lists.messages.time);
		if (time === 0) {
			recipient.first = recipient.second = Infinity;
		} else if (time > recipient.first) {
			recipient.second = recipient.first;
			recipient.first = time;
			recipient.newest = record;
		} else recipient.second = Math.max(recipient.second, time);
	}
	for (const { recipient, since } of each) if (recipient.first >= since) recipient.rows++;
	return each.map(({ recipient, since, created }): Delivery => {
		const { newest, first, second, rows: fitting } = recipient;
		if (first < since) return { status: 'notListed', record: null };
		const isSure = first >= created && second < since && fitting === 1;
		if (!newest || !isSure) return { status: 'ambiguous', record: null };
		return { status: newest.status ?? 'ambiguous', record: newest };
	});
}
