import type { IDataObject } from 'n8n-workflow';

/** With more records than this share out of place, a list has no order. */
const mostOutOfPlace = 0.25;

/**
 * Watches how the times of records fall while a list is read from its newest record on. Records
 * that are nearly in order, as those of a service that works on many at once, are no disorder: what
 * is still to come is expected to be as far out of place as what was read.
 */
export class Order {
	private readonly seen = new Set<unknown>();

	private oldest = Infinity;

	/** The longest time by which a record was newer than one before it. */
	private jitter = 0;

	private outOfPlace = 0;

	constructor(private readonly timeOf: (record: IDataObject) => number) {}

	/** @param isRising whether the page shows its oldest record first */
	add(records: IDataObject[], isRising: boolean): void {
		for (const record of isRising ? [...records].reverse() : records) {
			const id = record.id ?? record;
			// Growth has moved it here from a page that was read.
			if (this.seen.has(id)) continue;
			this.seen.add(id);
			const time = this.timeOf(record);
			if (time > this.oldest) {
				this.outOfPlace++;
				this.jitter = Math.max(this.jitter, time - this.oldest);
			} else {
				this.oldest = time;
			}
		}
	}

	/** No record that was not added yet is newer than this; Infinity if there is no order. */
	get frontier(): number {
		const isOrdered = this.outOfPlace <= this.seen.size * mostOutOfPlace;
		return isOrdered ? this.oldest + this.jitter : Infinity;
	}
}
