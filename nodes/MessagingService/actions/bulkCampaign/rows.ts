import { property } from 'lodash';
import type { INodeExecutionData, IBinaryData } from 'n8n-workflow';
import {
	fieldNames,
	flag,
	jsonObjects,
	requiredName,
	trimmed,
	anything,
	oneOf,
	requiredText,
} from '../../parameters/schemas';
import { InputFailure, itemName, type Failure } from '../../api/failure';
import { asInputFailure, fieldAt, type Reader } from '../../parameters/read';
import type { BinaryFile } from '../../api/binaryFile';
import type { ApiRequest, Call } from '../../api/client';
import { uploadFile } from '../media/upload.operation';
import { keyProblem, type Row } from './chunks';
import { createCampaignFields } from './create.fields';

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

/** Rows of which a message names the fields. */
const lookedAt = 100;

/** Fields that a message names; the others are counted. */
const namedFields = 20;

/** Characters of a field's name in a message. */
const nameLength = 40;

/**
 * Looks once for each field that a parameter names: a mistyped one would be missing in every row.
 *
 * @param paths names or paths of fields, by parameter; an empty one is none
 * @throws InputFailure for those that no row has
 */
export function checkColumns(items: INodeExecutionData[], paths: Record<string, string[]>): void {
	const missing = Object.entries(paths)
		.map(([parameter, wanted]) => ({
			label: fieldAt(createCampaignFields, parameter).displayName,
			names: wanted.filter((path) => path !== '' && !isThere(items, path)),
		}))
		.filter(({ names }) => names.length > 0);
	if (missing.length === 0) return;
	const names = [...new Set(missing.flatMap((one) => one.names))];
	const more = names.length - namedFields;
	const named = names.slice(0, namedFields).map(short).join(' and no field ');
	const labels = missing.map(({ label }) => label);
	throw new InputFailure(
		`No field ${named}${more > 0 ? ` and ${more} more` : ''}; the rows have ${fieldsOf(items)}`,
		`Correct ${labels.join(' and ')}: capitals and spaces count. A field that is empty in some rows still has to be there.`,
	);
}

function isThere(items: INodeExecutionData[], path: string): boolean {
	const get = property(path);
	return items.some(({ json }) => get(json) !== undefined);
}

function fieldsOf(items: INodeExecutionData[]): string {
	const names = [...new Set(items.slice(0, lookedAt).flatMap(({ json }) => Object.keys(json)))];
	if (names.length === 0) return 'no fields';
	const more = names.length - namedFields;
	return `${names.slice(0, namedFields).map(short).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const short = (name: string): string =>
	name.length > nameLength ? `${name.slice(0, nameLength)}…` : name;

/** Where the headers of the recipients come from, besides their own fields. */
export interface Header {
	/** Whether each recipient brings its own. */
	isPerRecipient: boolean;
	/** The header value of the recipients of an input item. */
	value?(item: number): string;
	/** The header media id of the recipients of an input item. */
	mediaId?(item: number): string;
	/** What a JSON recipient has that the header of all recipients would replace. */
	problemOf(recipient: Record<string, unknown>): string | undefined;
	/** Uploads the file and puts its media id into a request that was written before. */
	upload?(request: ApiRequest, configId: string, call: Call): Promise<ApiRequest>;
}

const sources = oneOf(['perRecipient', 'value', 'mediaId', 'binary'] as const);

/** Stands for the media id of a file that is still to be uploaded. */
const mark = 'uploaded before sending';

/** Reads the header of a campaign; throws InputFailure. */
export async function readHeader(reader: Reader, items: INodeExecutionData[]): Promise<Header> {
	switch (reader.same('campaignHeader', sources)) {
		case 'perRecipient':
			return { isPerRecipient: true, problemOf: () => undefined };
		case 'value':
			return forAll('headerValue', { value: reader.column('headerValue', requiredText) });
		case 'mediaId':
			return forAll('headerMediaId', { mediaId: reader.column('headerMediaId', requiredName) });
		case 'binary':
			return forAll('headerMediaId', {
				mediaId: () => mark,
				upload: uploadOnce(await onlyFile(reader, items)),
			});
	}
}

const forAll = (key: string, header: Pick<Header, 'value' | 'mediaId' | 'upload'>): Header => ({
	isPerRecipient: false,
	problemOf: ({ [key]: own }) =>
		own === undefined || own === null || own === ''
			? undefined
			: `it has a ${key} of its own beside that of all recipients`,
	...header,
});

/**
 * The file of the first input item that has one.
 *
 * @throws InputFailure when none has, or another item has another file
 */
async function onlyFile(reader: Reader, items: INodeExecutionData[]): Promise<BinaryFile> {
	const propertyOf = reader.column('binaryPropertyName', anything);
	let first: { item: number; identity: string } | undefined;
	for (let item = 0; item < items.length; item++) {
		const binary = items[item]?.binary;
		if (!binary) continue;
		const property = propertyOf(item);
		const data = typeof property === 'string' ? binary[property] : (property as IBinaryData);
		const identity = data?.id ?? data?.data;
		if (identity === undefined) continue;
		first ??= { item, identity };
		if (first.identity === identity) continue;
		throw new InputFailure(
			`The input items hold different files: one in ${itemName(first.item)}, another in ${itemName(item)}`,
			'The header of a campaign is one file for all recipients. Leave the file in one item, or upload each with Media > Upload and use Header Media ID Field.',
		);
	}
	return await reader(first?.item ?? 0).file('binaryPropertyName');
}

/** Inside a text the quotes would be escaped: this is found where it was written only. */
const written = (id: string): string => `"headerMediaId":${JSON.stringify(id)}`;

/**
 * Uploads a file when the first request needs it, once for each sending number: whether a media id
 * holds for another one is not documented.
 */
function uploadOnce(file: BinaryFile): NonNullable<Header['upload']> {
	const uploads = new Map<string, string>();
	return async (request, configId, call) => {
		const mediaId =
			uploads.get(configId) ?? String((await uploadFile(call, file, configId)).mediaId);
		uploads.set(configId, mediaId);
		const own = written(mediaId);
		const text = String(request.body).replaceAll(written(mark), () => own);
		return { ...request, body: Buffer.from(text) };
	};
}
