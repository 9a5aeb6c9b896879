import { property } from 'lodash';
import type { INodeExecutionData } from 'n8n-workflow';
import { fieldNames, flag, jsonObjects, requiredName, trimmed } from '../../parameters/schemas';
import type { Failure } from '../../api/failure';
import { asInputFailure, type Reader } from '../../parameters/read';
import { checkColumns } from './columns';
import type { Header } from './header';
import { keyProblem, type Row } from './recipients';

/** Gives the values of a row by its index. */
export interface Rows {
	count: number;
	/** Why the rows of an input item cannot be read at all, by item. */
	failures: ReadonlyMap<number, Failure>;
	/** A new row, which may be changed. */
	at(index: number): Row;
	/** What keeps the row from being read in full. */
	problemOf(index: number): string | undefined;
	/** The input item that a row comes from. */
	itemOf(index: number): number;
	/** The input items that rows come from, ascending. */
	itemsOf(rows: ArrayLike<number>): number[];
	/** How an output names a row: counted from 1 in its list, the item, where there are several lists, too. */
	placeOf(index: number): { row: number; item?: number };
	/** How a message names it. */
	nameOf(index: number): string;
	/** How a message names the value of a placeholder, counted from 0. */
	paramName(place: number): string;
}

/**
 * One row per input item; the fields are looked up by path, so that nothing is evaluated per item.
 *
 * @throws InputFailure for a field that no item has
 */
export function rowsOfItems(reader: Reader, items: INodeExecutionData[], header: Header): Rows {
	const { same } = reader;
	const phonePath = same('phoneField', requiredName);
	const paramPaths = same('paramsFields', fieldNames);
	const ownPath = (field: string) => (header.isPerRecipient ? same(field, trimmed) : '');
	const namePath = same('nameField', trimmed);
	const headerValuePath = ownPath('headerValueField');
	const headerMediaIdPath = ownPath('headerMediaIdField');
	const allowBlank = same('options.allowBlankParameters', flag);
	checkColumns(items, {
		phoneField: [phonePath],
		// A row may lack these then, and so may all rows.
		paramsFields: allowBlank ? [] : paramPaths,
		nameField: [namePath],
		headerValueField: [headerValuePath],
		headerMediaIdField: [headerMediaIdPath],
	});
	const phone = property(phonePath);
	const params = paramPaths.map(property);
	const name = property(namePath);
	const headerValue = property(headerValuePath);
	const headerMediaId = property(headerMediaIdPath);
	return {
		count: items.length,
		failures: new Map(),
		at: (index) => {
			const json = items[index]?.json;
			// `map` would take as long as all the rest, and `push` more memory.
			const values = new Array<unknown>(params.length);
			for (let place = 0; place < values.length; place++) values[place] = params[place]?.(json);
			return {
				phone: phone(json),
				params: values,
				headerValue: header.value ? header.value(index) : headerValue(json),
				headerMediaId: header.mediaId ? header.mediaId(index) : headerMediaId(json),
				name: name(json),
			};
		},
		problemOf: () => undefined,
		itemOf: (index) => index,
		itemsOf: (rows) => Array.from(rows),
		placeOf: (index) => ({ row: index + 1 }),
		nameOf: (index) => `item ${index + 1} (row ${index + 2} of a sheet with a heading)`,
		paramName: (place) => `the field "${paramPaths[place] ?? ''}"`,
	};
}

/** One row per entry of the JSON arrays of all input items. */
export function rowsOfJson(reader: Reader, itemCount: number, header: Header): Rows {
	const listOf = reader.column('recipientsJson', jsonObjects);
	const entries: Array<Record<string, unknown>> = [];
	/** The item of each row, and the first row of each item. */
	const itemOfRow: number[] = [];
	const firstRow: number[] = [];
	const failures = new Map<number, Failure>();
	for (let item = 0; item < itemCount; item++) {
		firstRow.push(entries.length);
		try {
			for (const entry of listOf(item)) {
				entries.push(entry);
				itemOfRow.push(item);
			}
		} catch (error) {
			failures.set(item, asInputFailure(error, item));
		}
	}
	const itemOf = (index: number) => itemOfRow[index] ?? 0;
	const placeOf = (index: number) => {
		const item = itemOf(index);
		const row = index - (firstRow[item] ?? 0) + 1;
		return itemCount > 1 ? { row, item: item + 1 } : { row };
	};
	return {
		count: entries.length,
		failures,
		at: (index) => {
			const { phone, params, headerValue, headerMediaId, name } = entries[index] ?? {};
			const item = itemOf(index);
			return {
				phone,
				params: Array.isArray(params) ? [...params] : params,
				headerValue: header.value ? header.value(item) : headerValue,
				headerMediaId: header.mediaId ? header.mediaId(item) : headerMediaId,
				name,
			};
		},
		problemOf: (index) => {
			const entry = entries[index] ?? {};
			return keyProblem(entry) ?? header.problemOf(entry);
		},
		itemOf,
		itemsOf: (rows) => [...new Set(Array.from(rows, itemOf))],
		placeOf,
		nameOf: (index) => {
			const { row, item } = placeOf(index);
			return item === undefined ? `row ${row}` : `row ${row} of item ${item}`;
		},
		paramName: (place) => `the value of parameter {{${place + 1}}}`,
	};
}
