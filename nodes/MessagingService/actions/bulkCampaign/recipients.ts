import { countBy, get, groupBy, isEqual, isNil, map, property, sortBy, uniq, uniqBy } from 'lodash';
import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { withoutEmpty } from '../../api/client';
import { InputFailure, itemName } from '../../api/failure';
import type { BinaryFile } from '../../api/binaryFile';
import { checkChatPhone, everyInvisible } from '../../parameters/phone';
import { notAllowed, type Guards } from '../../parameters/recipients';
import { listed, type Reader } from '../../parameters/read';
import {
	choiceOf,
	fieldNames,
	flag,
	headerText,
	isBlank,
	jsonObjects,
	languageCode,
	reading,
	requiredName,
	sendingNumber,
	text,
	trimmed,
	valueProblem,
	type Schema,
} from '../../parameters/schemas';
import { textField } from '../../parameters/fields';

/** Where the headers of a campaign come from. */
export const headers = {
	none: ['None', 'The template has no header to fill in, or recipients in JSON have their own'],
	perRecipient: ['Per Recipient', 'A text or a file for each recipient, from input fields'],
	value: ['Value', 'A text or media URL for all recipients'],
	mediaId: ['Media ID', 'A file uploaded before'],
	binary: ['File', 'One file of the input for all recipients, uploaded once'],
} as const;

/** A field for the name of an input field. */
export const columnField = (
	name: string,
	displayName: string,
	own: Partial<INodeProperties>,
): INodeProperties => textField(name, displayName, { requiresDataPath: 'single', ...own });

/** Name of the input field that holds the recipient. */
export const phoneColumn = columnField('phoneField', 'Phone Number Field', {
	required: true,
	default: 'phone',
	placeholder: 'e.g. phone',
	description: 'Name of the input field that holds the phone number',
	hint: 'Enter the name of the field, or drag it here from the input panel',
});

/** A recipient as the service takes it (docs/service.md, section 4.8). Its keys go out in this order. */
export interface Recipient extends IDataObject {
	phone: string;
	params?: string[];
	headerValue?: string;
	headerMediaId?: string;
	name?: string;
}

/** A row of a campaign, as it is read. */
export interface Row {
	recipient: Record<string, unknown>;
	/** The input items that it comes from: several where they have the same list. */
	items: number[];
	/** Where it stands, counted from 1, and in the list of which item where each has its own. */
	place: { item?: number; row: number };
	/** How a message names it. */
	name: string;
	/** What would get lost of it without a word. */
	problem?: string;
	/** Names of the input fields that its placeholder values come from, where they do. */
	paramsFields?: string[];
}

/** Input items that agree on template, language and sending number, in the order of the first of each. */
export function campaignsOf({ each }: Reader, items: INodeExecutionData[]) {
	const templateNames = each('templateName', requiredName);
	const configIds = each('configId', sendingNumber);
	const languages = each('language', languageCode);
	const key = (item: number) => [templateNames[item], configIds[item], languages[item]].join('\n');
	return Object.values(groupBy([...items.keys()], key)).map((from) => {
		const [templateName, configId, language] = map(
			[templateNames, configIds, languages],
			from[0] ?? 0,
		);
		return { common: withoutEmpty({ templateName, configId, language }), from };
	});
}

/** Reads the rows of some input items, which make one campaign. */
type RowsOf = (from: number[]) => Iterable<Row>;

/** The header of all recipients; of a file, which has no media id before it is uploaded. None where each brings its own. */
interface Header {
	ofAll?: Pick<Recipient, 'headerValue' | 'headerMediaId'>;
	file?: BinaryFile;
}

/** Reads the header of a campaign; throws InputFailure. */
export async function readHeader(reader: Reader, items: INodeExecutionData[]): Promise<Header> {
	const { same } = reader;
	const kind = same('campaignHeader', choiceOf(headers));
	if (kind === 'none' || kind === 'perRecipient') return {};
	if (kind === 'value') return { ofAll: { headerValue: same('headerValue', headerText) } };
	if (kind === 'mediaId') return { ofAll: { headerMediaId: same('headerMediaId', requiredName) } };
	const file = await onlyFile(reader, items);
	return { ofAll: { headerMediaId: 'uploaded before sending' }, file };
}

/** The file of the first input item that has one; throws InputFailure if none has, or another item another file. */
async function onlyFile(reader: Reader, items: INodeExecutionData[]): Promise<BinaryFile> {
	const name = reader.same('binaryPropertyName', requiredName);
	const fileIn = (item: number) => items[item]?.binary?.[name];
	const having = [...items.keys()].filter(fileIn);
	const [first = 0, other] = uniqBy(having, (item) => fileIn(item)?.id ?? fileIn(item)?.data);
	if (other === undefined) return await reader(first).file('binaryPropertyName');
	throw new InputFailure(
		`The input items contain different files: one in ${itemName(first)}, another in ${itemName(other)}`,
		'Keep the file in one item, because a campaign has one header file for all recipients. For different files, upload each with Media > Upload and use Header Media ID Field.',
	);
}

/** A name as it looks: names can differ in what nobody sees. */
const asItLooks = (name: string): string =>
	name
		.slice(0, 200)
		.normalize()
		.replace(everyInvisible, (one) => (/(?!\ufeff)\s/.test(one) ? ' ' : ''))
		.trim();

/**
 * A name or several, or none, of input fields: a mistyped one would be missing in every row. One that no item
 * has stands for the only one that looks the same; any other is refused, unless rows may lack their values.
 */
export const columns = <T extends string | string[]>(
	items: INodeExecutionData[],
	names: Schema<T>,
	mayLack = false,
): Schema<T> =>
	reading(names, (wanted, refuse) => {
		const nameIn = (path: string): string => {
			if (path === '' || items.some(({ json }) => get(json, path) !== undefined)) return path;
			const known = uniq(items.flatMap(({ json }) => Object.keys(json)));
			const alike = known.filter((name) => asItLooks(name) === asItLooks(path));
			if (alike.length === 1 || mayLack) return alike[0] ?? path;
			return refuse(
				`names ${listed([path])}, but the rows have ${listed(alike.length > 1 ? alike : known)}`,
				'Enter names of fields, not their values, separated by commas. Capitals and spaces count.',
			);
		};
		return (Array.isArray(wanted) ? wanted.map(nameIn) : nameIn(wanted)) as T;
	});

/** One row per input item; the fields are looked up by path, so that nothing is evaluated per item. */
export function itemRows({ same }: Reader, items: INodeExecutionData[], { ofAll }: Header): RowsOf {
	// An empty path leads nowhere.
	const column = (name: string) => property(same(name, columns(items, trimmed)) || []);
	const phone = property(same('phoneField', columns(items, requiredName)));
	// A row may lack its values then, and so may all rows.
	const mayLack = same('options.allowBlankParameters', flag);
	const paramsFields = same('paramsFields', columns(items, fieldNames, mayLack));
	const params = paramsFields.map(property);
	const name = column('nameField');
	const headerValue = ofAll ? undefined : column('headerValueField');
	const headerMediaId = ofAll ? undefined : column('headerMediaIdField');
	return function* (from) {
		for (const item of from) {
			const json = items[item]?.json;
			yield {
				recipient: {
					phone: phone(json),
					params: params.map((value) => value(json)),
					headerValue: headerValue?.(json),
					headerMediaId: headerMediaId?.(json),
					name: name(json),
					...ofAll,
				},
				items: [item],
				place: { row: item + 1 },
				name: `${itemName(item)} (row ${item + 2} of a sheet with a heading)`,
				paramsFields,
			};
		}
	};
}

/**
 * One row per entry of the JSON arrays of all items; an array that is the same for all counts once. How
 * many values a template takes is not documented (docs/service.md, section 10.28): rows with another
 * number of them than most are bad; throws InputFailure when no number is that of most.
 */
export function jsonRows({ each }: Reader, { ofAll = {} }: Header): RowsOf {
	const lists = each('recipientsJson', jsonObjects);
	return function* (from) {
		const isOne = from.every((item) => isEqual(lists[item], lists[from[0] ?? 0]));
		const some = isOne ? from.slice(0, 1) : from;
		const usual = usualCount(some.flatMap((item) => map(lists[item], countOf)));
		for (const item of some) {
			const items = isOne ? from : [item];
			for (const [index, entry] of (lists[item] ?? []).entries()) {
				const row = index + 1;
				yield {
					recipient: { ...entry, ...ofAll },
					items,
					place: isOne ? { row } : { item: item + 1, row },
					name: isOne ? `row ${row}` : `row ${row} of ${itemName(item)}`,
					problem: problemIn(entry, ofAll, usual),
				};
			}
		}
	};
}

type Entry = Record<string, unknown>;

const recipientKeys = ['phone', 'params', 'headerValue', 'headerMediaId', 'name'];

/** What of an entry would get lost without a word. */
function problemIn(entry: Entry, ofAll: IDataObject, usual: number): string | undefined {
	const unknown = Object.keys(entry).find((key) => !recipientKeys.includes(key));
	if (unknown !== undefined) {
		const key = JSON.stringify(unknown.slice(0, 40));
		return `it has the unknown key ${key}, which is not one of ${recipientKeys.join(', ')}`;
	}
	const own = Object.keys(ofAll).find((key) => !isNil(entry[key]) && entry[key] !== '');
	if (own !== undefined) return `it has its own ${own} besides the one for all recipients`;
	const count = countOf(entry);
	return count === usual ? undefined : `it has ${values(count)}, most recipients have ${usual}`;
}

const countOf = ({ params }: Entry): number => (Array.isArray(params) ? params.length : 0);

const values = (count: number): string =>
	`${count} placeholder ${count === 1 ? 'value' : 'values'}`;

function usualCount(counts: number[]): number {
	const kinds = sortBy(Object.entries(countBy(counts)), ([, rows]) => -rows);
	const [usual, second] = kinds;
	if (usual === undefined || usual[1] !== second?.[1]) return Number(usual?.[0]);
	const listed = kinds.map(([count, rows]) => `${rows} have ${values(Number(count))}`);
	throw new InputFailure(
		`The recipients have different numbers of placeholder values: ${listed.join(', ')}`,
		'Give every recipient one value for each placeholder of the template.',
	);
}

/** A row that can be sent to. */
export interface GoodRow {
	/** Counted over all campaigns. */
	number: number;
	items: number[];
	recipient: Recipient;
}

/** A row that cannot be sent to, or whose recipient has opted out. */
export interface BadRow extends Row {
	number: number;
	/** Null where nothing is wrong with it. */
	reason: string | null;
}

/** A row as it goes out, what is wrong with it, or null if its recipient has opted out; blank values of placeholders only if they are allowed. */
export function checkRow(
	{ recipient, problem, paramsFields }: Row,
	allowBlank: boolean,
	countryCodes: readonly string[],
	guards: Guards,
): Recipient | string | null {
	const check = checkChatPhone(recipient.phone, countryCodes);
	// What else is wrong with such a row does not matter.
	if ('phone' in check && guards.excluded?.mayReach(check.phone)) return null;
	if (problem !== undefined) return problem;
	if ('problem' in check) return `the phone number ${check.problem}`;
	const stranger = notAllowed(guards, check.phone);
	if (stranger !== undefined) return stranger;
	const checked: Recipient = { phone: check.phone };
	const params: unknown = recipient.params ?? [];
	if (!Array.isArray(params)) return 'params is not an array';
	for (const [index, given] of params.entries()) {
		const value: unknown = given ?? '';
		const isMissing = () => !allowBlank && isBlank(String(value));
		const wrong = valueProblem(value) ?? (isMissing() ? 'is missing or blank' : undefined);
		if (wrong === undefined) (checked.params ??= []).push(String(value));
		else if (paramsFields) return `the field "${paramsFields[index] ?? ''}" ${wrong}`;
		else return `the value of parameter {{${index + 1}}} ${wrong}`;
	}
	for (const key of ['headerValue', 'headerMediaId', 'name'] as const) {
		const value = recipient[key] ?? '';
		if (value === '') continue;
		const schema = key === 'headerValue' ? headerText : text;
		const result = schema.safeParse(value);
		if (!result.success) return `${key} ${result.error.issues[0]?.message}`;
		checked[key] = result.data;
	}
	return checked;
}
