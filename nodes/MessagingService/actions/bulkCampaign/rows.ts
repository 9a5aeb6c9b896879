import {
	castArray,
	countBy,
	get,
	isEqual,
	isNil,
	map,
	omit,
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
	const ownHeader = (name: string) => (header.isPerRecipient ? same(name, trimmed) : '');
	const paths = {
		phoneField: same('phoneField', requiredName),
		paramsFields: same('paramsFields', fieldNames),
		nameField: same('nameField', trimmed),
		headerValueField: ownHeader('headerValueField'),
		headerMediaIdField: ownHeader('headerMediaIdField'),
	};
	// A row may lack its values then, and so may all rows.
	const mayLack = same('options.allowBlankParameters', flag);
	checkColumns(items, mayLack ? omit(paths, 'paramsFields') : paths);
	const phone = property(paths.phoneField);
	const params = paths.paramsFields.map(property);
	const name = property(paths.nameField);
	const headerValue = property(paths.headerValueField);
	const headerMediaId = property(paths.headerMediaIdField);
	return (from) => {
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
			paramName: (place) => `the field "${paths.paramsFields[place] ?? ''}"`,
			itemOf,
			itemsOf: (rows) => Array.from(rows, itemOf),
			placeOf: (number) => ({ row: itemOf(number) + 1 }),
			nameOf: (number) =>
				`${itemName(itemOf(number))} (row ${itemOf(number) + 2} of a sheet with a heading)`,
		};
	};
}

/** Keys of a recipient (docs/service.md, section 4.8). */
const recipientKeys = ['phone', 'params', 'headerValue', 'headerMediaId', 'name'];

type Entry = Record<string, unknown>;

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
		const isOne = from.every((item) => isEqual(lists[item], lists[from[0] ?? 0]));
		const entries = (isOne ? from.slice(0, 1) : from).flatMap((item) =>
			(lists[item] ?? []).map((entry, index) => ({ entry, item, row: index + 1 })),
		);
		const usual = usualCount(entries.map(({ entry }) => countOf(entry)));
		const at = (number: number) => entries[number] ?? { entry: {}, item: 0, row: 0 };
		return {
			count: entries.length,
			at: (number) => {
				const { phone, params, headerValue, headerMediaId, name } = at(number).entry;
				return {
					phone,
					params: Array.isArray(params) ? [...params] : params,
					headerValue: header.headerValue ?? headerValue,
					headerMediaId: header.headerMediaId ?? headerMediaId,
					name,
				};
			},
			problemOf: (number) => problemIn(at(number).entry, header, usual),
			paramName: (place) => `the value of parameter {{${place + 1}}}`,
			itemOf: (number) => at(number).item,
			itemsOf: (rows) => (isOne ? from : sortedUniq(Array.from(rows, (row) => at(row).item))),
			placeOf: (number) => {
				const { item, row } = at(number);
				return isOne ? { row } : { item: item + 1, row };
			},
			nameOf: (number) => {
				const { item, row } = at(number);
				return isOne ? `row ${row}` : `row ${row} of ${itemName(item)}`;
			},
		};
	};
}

/** What of an entry would get lost without a word. */
function problemIn(entry: Entry, header: Header, usual: number): string | undefined {
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
}

const countOf = ({ params }: Entry): number => (Array.isArray(params) ? params.length : 0);

const values = (count: number): string =>
	`${count} placeholder ${count === 1 ? 'value' : 'values'}`;

function usualCount(counts: number[]): number {
	const [usual, second] = sortBy(Object.entries(countBy(counts)), ([, rows]) => -rows);
	if (usual === undefined || usual[1] !== second?.[1]) return Number(usual?.[0]);
	const listed = Object.entries(countBy(counts)).map(
		([count, rows]) => `${rows} have ${values(Number(count))}`,
	);
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
export function checkColumns(
	items: INodeExecutionData[],
	paths: Record<string, string | string[]>,
): void {
	const missing = Object.entries(paths).flatMap(([parameter, wanted]) =>
		castArray(wanted)
			.filter((path) => path !== '' && !items.some(({ json }) => get(json, path) !== undefined))
			.map((path) => ({ path, label: fieldAt(createCampaignFields, parameter).displayName })),
	);
	if (missing.length === 0) return;
	const there = items.slice(0, lookedAt).flatMap(({ json }) => Object.keys(json));
	const names = listed(map(missing, 'path'), ' and no field ');
	throw new InputFailure(
		`No field ${names}; the rows have ${listed(there, ', ') || 'no fields'}`,
		`Correct ${listed(map(missing, 'label'), ' and ')}: capitals and spaces count. A field that is empty in some rows still has to be there.`,
	);
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
