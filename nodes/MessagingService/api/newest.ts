import { clamp, orderBy, range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { hasOffset, maxPageSize, readPage, timeIn, type TimedList } from './lists';
import { telling, type ApiRequest, type Call } from './client';

/** A record can be older than one that was there before it by less than this: clocks differ. */
export const clockSlack = 60_000;

/** Which records of a list are wanted. */
export interface Selection {
	query?: ApiRequest['query'];
	/** The newest of them; Infinity for all. */
	limit: number;
	/** Milliseconds: nothing older, and nothing newer, is wanted. */
	since?: number;
	until?: number;
	/** Whether those whose time cannot be read are wanted although they may lie outside. */
	undated?: boolean;
	matches?(record: IDataObject): boolean;
	/** Whether a record that is wanted makes all others needless: reading ends with it. */
	isLast?(record: IDataObject): boolean;
}

const idOf = (record: IDataObject): string => JSON.stringify(record.id ?? record);

/**
 * Reads the newest records of a list that match, newest first; the list is read page by page, and
 * again where records may have been missed (docs/contract.md, section 3.8).
 */
export async function readNewest(call: Call, list: TimedList, selection: Selection) {
	const { query, limit, since = -Infinity, until = Infinity, matches, isLast } = selection;
	const { undated = since === -Infinity && until === Infinity } = selection;
	const timeOf = (record: IDataObject) => timeIn(record, list.time);
	const isWanted = (record: IDataObject) => {
		const time = timeOf(record);
		const isInTime = time === 0 ? undated : time >= since && time <= until;
		return isInTime && matches?.(record) !== false;
	};
	const wanted = new Map<unknown, IDataObject>();
	const newest = () => orderBy([...wanted.values()], timeOf, 'desc').slice(0, limit);
	const needed = () => (wanted.size < limit ? since : timeOf(newest().at(-1) ?? {}));
	const sure = since > -Infinity || isLast ? 1 : Math.ceil(limit / maxPageSize);
	for (const fresh of [false, true, true, true]) {
		const seen = new Set<unknown>();
		let before: Awaited<ReturnType<typeof readPage>> | undefined;
		let [oldest, latest] = [Infinity, -Infinity];
		let [isOrdered, isStill, isWhole, isOver] = [true, true, true, false];
		for (let index = 0; !isOver;) {
			const size = before?.size;
			const left = Math.ceil((Number(before?.total) || 0) / (size ?? 1)) - index;
			// Behind those that are sure it may be a long way. Where a list changes, one after another is safe.
			const isFar = !isOrdered || index > sure + 1;
			const atOnce = clamp(isFar ? left : Math.min(left, sure - index), 1, fresh ? 1 : 5);
			const block = range(index, index + atOnce).map(
				async (place) => await readPage(call, list, query, { index: place, size, fresh }),
			);
			for (const page of await Promise.all(block)) {
				const records = page.records.filter((record) => !seen.has(idOf(record)));
				for (const record of records) {
					const time = timeOf(record);
					seen.add(idOf(record));
					isOrdered &&= time <= oldest + clockSlack;
					oldest = Math.min(oldest, time);
					latest = Math.max(latest, time);
					if (isWanted(record)) wanted.set(idOf(record), record);
				}
				if (records.some((record) => wanted.has(idOf(record)) && isLast?.(record))) return newest();

				const isMoved = before !== undefined && page.counts !== before.counts;
				const isLess = !(Number(page.total) >= Number(before?.total));
				// With a status, a count may hide a record that left behind one that came.
				const mayMiss = isMoved && (isLess || query?.status !== undefined || atOnce > 1);
				isStill &&= !isMoved;
				// Nothing comes twice in a list that holds still: as many are missing. But one page for all
				// would never end.
				const isRepeated = records.length === 0 && (isStill || page.total === undefined);
				const isShuffled = isStill !== isRepeated && records.length < page.records.length;
				isWhole &&= !mayMiss && !isShuffled;
				before = page;
				// Records of one moment do not show which end of the list this is.
				const last = isOrdered && latest > oldest + clockSlack ? needed() : -Infinity;
				const isBehind =
					oldest < last - clockSlack && records.every((record) => timeOf(record) < last);
				const isEnd = page.records.length < page.size;
				isOver = isEnd || ++index * page.size >= Number(page.total) || isRepeated || isBehind;
				if (isOver) break;
			}
		}
		if (isWhole) break;
	}
	return newest();
}

/** What tells the records that a list is going to get from those that it has. */
export type KnownRecords = Awaited<ReturnType<typeof knownRecords>>;

/** Reads the newest records of a list, to know later ones by id, time and the clock of the service. */
export async function knownRecords(call: Call, list: TimedList) {
	const ids = new Set<unknown>();
	let told = -Infinity;
	const heard = telling(call, (now) => (told = Math.max(told, now - clockSlack)));
	const matches = (record: IDataObject) => ids.add(idOf(record)).size > 0;
	const [newest] = await readNewest(heard, list, { limit: 1, matches });
	// In milliseconds: no record that is still to come is older.
	const since = newest ? timeIn(newest, list.time) - clockSlack : -Infinity;
	const isNew = (record: IDataObject) => {
		const time = timeIn(record, list.time);
		// Only a time with an offset can be compared with that of the service's clock.
		const isOlder = time < since || (time < told && hasOffset(record, list.time));
		return !isOlder && !ids.has(idOf(record));
	};
	return { since, isNew };
}
