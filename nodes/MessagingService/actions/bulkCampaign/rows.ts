import {
	countBy,
	isEqual,
	isNil,
	property,
	sortBy,
	sortedUniq,
	truncate,
	uniq,
	uniqBy,
} from 'lodash';
import type { INodeExecutionData } from 'n8n-workflow';
import {
	fieldNames,
	flag,
	jsonObjects,
	requiredName,
	trimmed,
	choiceOf,
	requiredText,
} from '../../parameters/schemas';
import { InputFailure, itemName } from '../../api/failure';
import { fieldAt, type Reader } from '../../parameters/read';
import type { BinaryFile } from '../../api/binaryFile';
import type { Source } from './chunks';
import { createCampaignFields, headers } from './create.fields';

/** The rows of a campaign, and where they come from. */
export interface Rows extends Source {
	/** The input item that a row comes from, or the first of several with the same list. */
	itemOf(number: number): number;
	/** The input items that rows come from, ascending. */
	itemsOf(rows: ArrayLike<number>): number[];
	/** Where a row stands, counted from 1. */
	placeOf(number: number): { item?: number; row: number };
	/** How a message names a row. */
	nameOf(number: number): string;
}

/** Gives the rows of some input items, which make one campaign. */
export type RowsOf = (from: number[]) => Rows;

/**
 * One row per input item; the fields are looked up by path, so that nothing is evaluated per item.
 *
 * @throws InputFailure for a field that no item has
 */
export function rowsOfItems(reader: Reader, items: INodeExecutionData[], header: Header): RowsOf {
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
	const rowsOf: RowsOf = (from) => {
		const itemOf = (number: number) => from[number] ?? 0;
		return {
			count: from.length,
			at: (number) => {
				const json = items[itemOf(number)]?.json;
				// `map` would take as long as all the rest, and `push` more memory.
				const values = new Array<unknown>(params.length);
				for (let place = 0; place < values.length; place++) values[place] = params[place]?.(json);
				return {
					phone: phone(json),
					params: values,
					headerValue: header.headerValue ?? headerValue(json),
					headerMediaId: header.headerMediaId ?? headerMediaId(json),
					name: name(json),
				};
			},
			problemOf: () => undefined,
			paramName: (place) => `the field "${paramPaths[place] ?? ''}"`,
			itemOf,
			itemsOf: (rows) => Array.from(rows, itemOf),
			placeOf: (number) => ({ row: itemOf(number) + 1 }),
			nameOf: (number) =>
				`${itemName(itemOf(number))} (row ${itemOf(number) + 2} of a sheet with a heading)`,
		};
	};
	return rowsOf;
}

/** Keys of a recipient (docs/service.md, section 4.8). */
const recipientKeys = ['phone', 'params', 'headerValue', 'headerMediaId', 'name'];

/**
 * One row per entry of the JSON arrays of all items; an array that is the same for all counts once. How
 * many values a template takes is not documented (docs/service.md, section 10.28): rows with another
 * number of them than most are bad.
 *
 * @throws InputFailure when no number is that of most rows
 */
export function rowsOfJson(reader: Reader, _: INodeExecutionData[], header: Header): RowsOf {
	const lists = reader.each('recipientsJson', jsonObjects);
	return (from) => {
		const [first = []] = from.map((item) => lists[item] ?? []);
		const isOne = from.every((item) => lists[item] === first || isEqual(lists[item], first));
		const own = isOne ? from.slice(0, 1) : from;
		const entries = own.flatMap((item) => lists[item] ?? []);
		const places = own.flatMap((item) => (lists[item] ?? []).map((__, row) => ({ item, row })));
		const itemOf = (number: number) => places[number]?.item ?? 0;
		return {
			...rowsOfEntries(entries, header),
			itemOf,
			itemsOf: (rows) => (isOne ? from : sortedUniq(Array.from(rows, itemOf))),
			placeOf: (number) => {
				const { item = 0, row = 0 } = places[number] ?? {};
				return { ...(isOne ? {} : { item: item + 1 }), row: row + 1 };
			},
			nameOf: (number) => {
				const { item = 0, row = 0 } = places[number] ?? {};
				return isOne ? `row ${row + 1}` : `row ${row + 1} of ${itemName(item)}`;
			},
		};
	};
}

function rowsOfEntries(entries: Array<Record<string, unknown>>, header: Header): Source {
	const usual = usualCount(entries);
	return {
		count: entries.length,
		at: (number) => {
			const { phone, params, headerValue, headerMediaId, name } = entries[number] ?? {};
			return {
				phone,
				params: Array.isArray(params) ? [...params] : params,
				headerValue: header.headerValue ?? headerValue,
				headerMediaId: header.headerMediaId ?? headerMediaId,
				name,
			};
		},
		problemOf: (number) => {
			const entry = entries[number] ?? {};
			// What the service does not know would get lost without a word.
			const unknown = Object.keys(entry).find((key) => !recipientKeys.includes(key));
			if (unknown !== undefined) {
				const key = JSON.stringify(unknown.slice(0, 40));
				return `it has the unknown key ${key}: known are ${recipientKeys.join(', ')}`;
			}
			const own = (['headerValue', 'headerMediaId'] as const).find(
				(key) => header[key] !== undefined && !isNil(entry[key]) && entry[key] !== '',
			);
			if (own !== undefined) return `it has a ${own} of its own beside that of all recipients`;
			const count = countOf(entry);
			return count === usual ? undefined : `it has ${values(count)}, most recipients have ${usual}`;
		},
		paramName: (place) => `the value of parameter {{${place + 1}}}`,
	};
}

const countOf = ({ params }: Record<string, unknown>): number =>
	Array.isArray(params) ? params.length : 0;

const values = (count: number): string =>
	`${count} placeholder ${count === 1 ? 'value' : 'values'}`;

function usualCount(entries: Array<Record<string, unknown>>): number {
	const counts = Object.entries(countBy(entries, countOf));
	const [[usual, rows] = ['0', 0], [, others] = ['', 0]] = sortBy(counts, ([, times]) => -times);
	if (rows > others || entries.length === 0) return Number(usual);
	const listed = counts.map(([count, times]) => `${times} have ${values(Number(count))}`);
	throw new InputFailure(
		`The recipients have different numbers of placeholder values: ${listed.join(', ')}`,
		'Give every recipient as many values as the template has placeholders. Which number is right cannot be told.',
	);
}

/** Rows of which a message names the fields. */
const lookedAt = 100;

/** Names as a message lists them. */
const listed = (names: string[], separator: string): string =>
	truncate(uniq(names).join(separator), { length: 500 });

/**
 * Looks once for each field that a parameter names: a mistyped one would be missing in every row.
 *
 * @param paths names or paths of fields, by parameter; an empty one is none
 * @throws InputFailure for those that no row has
 */
export function checkColumns(items: INodeExecutionData[], paths: Record<string, string[]>): void {
	const missing = Object.entries(paths).flatMap(([parameter, wanted]) =>
		wanted
			.filter((path) => path !== '' && !isThere(items, path))
			.map((name) => ({ name, label: fieldAt(createCampaignFields, parameter).displayName })),
	);
	if (missing.length === 0) return;
	const names = missing.map(({ name }) => name);
	const labels = missing.map(({ label }) => label);
	const there = items.slice(0, lookedAt).flatMap(({ json }) => Object.keys(json));
	throw new InputFailure(
		`No field ${listed(names, ' and no field ')}; the rows have ${listed(there, ', ') || 'no fields'}`,
		`Correct ${listed(labels, ' and ')}: capitals and spaces count. A field that is empty in some rows still has to be there.`,
	);
}

function isThere(items: INodeExecutionData[], path: string): boolean {
	const get = property(path);
	return items.some(({ json }) => get(json) !== undefined);
}

/** Where the headers of the recipients come from, besides their own fields. */
export interface Header {
	/** Whether each recipient brings its own. */
	isPerRecipient?: boolean;
	/** That of all recipients. */
	headerValue?: string;
	/** That of all recipients. */
	headerMediaId?: string;
	/** That of all recipients, which has no media id before it is uploaded. */
	file?: BinaryFile;
}

/** Reads the header of a campaign; throws InputFailure. */
export async function readHeader(reader: Reader, items: INodeExecutionData[]): Promise<Header> {
	switch (reader.same('campaignHeader', choiceOf(headers))) {
		case 'perRecipient':
			return { isPerRecipient: true };
		case 'value':
			return { headerValue: reader.same('headerValue', requiredText) };
		case 'mediaId':
			return { headerMediaId: reader.same('headerMediaId', requiredName) };
		case 'binary':
			return {
				headerMediaId: 'uploaded before sending',
				file: await onlyFile(reader, items),
			};
	}
}

/**
 * The file of the first input item that has one.
 *
 * @throws InputFailure when none has, or another item has another file
 */
async function onlyFile(reader: Reader, items: INodeExecutionData[]): Promise<BinaryFile> {
	const name = reader.same('binaryPropertyName', requiredName);
	const files = items.flatMap(({ binary }, item) => {
		const file = binary?.[name];
		return file ? [{ item, identity: file.id ?? file.data }] : [];
	});
	const [first = { item: 0 }, other] = uniqBy(files, ({ identity }) => identity);
	if (other === undefined) return await reader(first.item).file('binaryPropertyName');
	throw new InputFailure(
		`The input items hold different files: one in ${itemName(first.item)}, another in ${itemName(other.item)}`,
		'The header of a campaign is one file for all recipients. Leave the file in one item, or upload each with Media > Upload and use Header Media ID Field.',
	);
}
