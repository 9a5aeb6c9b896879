import {
	get,
	groupBy,
	isEqual,
	isNil,
	isPlainObject,
	isString,
	map,
	memoize,
	property,
	uniq,
	uniqBy,
} from 'lodash';
import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { withoutEmpty } from '../../api/client';
import { InputFailure, itemName } from '../../api/failure';
import { binaryDataOf, type BinaryFile } from '../../api/binaryFile';
import { checkChatPhone } from '../../parameters/phone';
import { everyInvisible, listed, textProblem } from '../../parameters/shown';
import { whyNotAllowed, type Guards } from '../../parameters/guards';
import type { Account, Reader } from '../../parameters/read';
import {
	asText,
	choiceOf,
	fieldNames,
	flag,
	filesFor,
	isBlank,
	jsonObjects,
	languageCode,
	converted,
	requiredName,
	sendingNumber,
	trimmed,
	type Schema,
} from '../../parameters/schemas';
import { textField } from '../../parameters/fields';

export const headers = {
	none: ['None', 'No header to fill in, or the headers are in the JSON of the recipients'],
	perRecipient: ['Per Recipient', 'A text or a file for each recipient, from input fields'],
	value: ['Value', 'A text or media URL for all recipients'],
	mediaId: ['Media ID', 'A file uploaded before'],
	binary: ['File', 'One file of the input for all recipients, uploaded once'],
} as const;

/** A node parameter that takes the name of an input field. */
export const columnField = (
	name: string,
	displayName: string,
	settings: Partial<INodeProperties>,
): INodeProperties => textField(name, displayName, { requiresDataPath: 'single', ...settings });

/** Name of the input field that contains the phone number. */
export const phoneColumn = columnField('phoneField', 'Phone Number Field', {
	required: true,
	default: 'phone',
	placeholder: 'e.g. phone',
	description: 'Name of the input field that holds the phone number',
	hint: 'Enter the name of the field, or drag it here from the input panel',
});

/** A recipient in the form of the service (docs/service.md, section 4.8). Its keys are sent in this order. */
export interface Recipient extends IDataObject {
	phone: string;
	params?: string[];
	headerValue?: string;
	headerMediaId?: string;
	name?: string;
}

export interface UncheckedRow {
	recipient: Record<string, unknown>;
	/** Its fields as they came. */
	fields: IDataObject;
	/** The input items that it comes from: several if they all contain the same JSON array. */
	items: number[];
	/**
	 * `row` is counted from 1: the position among the items or, for JSON, in the array. `item` is the index of
	 * the item, only if the items have different arrays.
	 */
	place: { item?: number; row: number };
	/** Why it is invalid, if that is known before its values are checked. */
	problem?: string;
	/** Names of the input fields of its placeholder values, if they come from input fields. */
	paramsFields?: string[];
}

/** Groups the input items by template, sending number and language, in the order of their first items. */
export function campaignsOf({ each }: Reader, items: INodeExecutionData[]) {
	const templateNames = each('templateName', requiredName);
	const configIds = each('additionalFields.configId', sendingNumber);
	const languages = each('additionalFields.language', languageCode);
	const key = (item: number) =>
		JSON.stringify([templateNames[item], configIds[item], languages[item]]);
	return Object.values(groupBy([...items.keys()], key)).map((itemIndexes) => {
		const [templateName, configId, language] = map(
			[templateNames, configIds, languages],
			itemIndexes[0] ?? 0,
		);
		return { common: withoutEmpty({ templateName, configId, language }), itemIndexes };
	});
}

/** Where the rows come from. */
export interface RowSource {
	rowsOf(itemIndexes: number[]): Iterable<UncheckedRow>;
	/** Names a row in error messages. */
	nameOf(place: UncheckedRow['place']): string;
}

/** The common header of all recipients, if there is one. Its file is uploaded later. */
interface Header {
	shared?: Pick<Recipient, 'headerValue' | 'headerMediaId'>;
	file?: BinaryFile;
}

export async function readHeader(reader: Reader, items: INodeExecutionData[]): Promise<Header> {
	const { same } = reader;
	const kind = same('campaignHeader', choiceOf(headers));
	if (kind === 'none' || kind === 'perRecipient') return {};
	if (kind === 'value')
		return { shared: { headerValue: same('headerValue', filesFor(same.account).headerText) } };
	if (kind === 'mediaId') return { shared: { headerMediaId: same('headerMediaId', requiredName) } };
	const file = await onlyFile(reader, items);
	return { shared: { headerMediaId: 'ID of the file, which is uploaded before sending' }, file };
}

/** The only file of the input items; throws InputFailure if there is none, or more than one. */
async function onlyFile(reader: Reader, items: INodeExecutionData[]): Promise<BinaryFile> {
	const name = reader.same('binaryPropertyName', requiredName);
	const fileIn = memoize((item: number) => binaryDataOf(reader.same.context, item, name));
	const having = [...items.keys()].filter(fileIn);
	const [first = 0, other] = uniqBy(having, (item) => fileIn(item)?.id ?? fileIn(item)?.data);
	if (other === undefined) return await reader(first).file('binaryPropertyName');
	throw new InputFailure(
		`The input items contain different files: one in ${itemName(first)}, another in ${itemName(other)}`,
		"Keep the file in one item, because a campaign has one header file for all recipients. For different files, upload each with 'Media > Upload', set 'Header' to Per Recipient and fill in 'Header Media ID Field'.",
	);
}

const visibleName = (name: string): string =>
	name
		.slice(0, 200)
		.normalize()
		.replace(everyInvisible, (one) => (/(?!\ufeff)\s/.test(one) ? ' ' : ''))
		.trim();

/**
 * Names of input fields. If no item has the field, the only one whose name looks the same is used; without one, the
 * name is rejected unless `allowMissing` is set, because every row would lack the field.
 */
export const columns = <T extends string | string[]>(
	items: INodeExecutionData[],
	names: Schema<T>,
	allowMissing = false,
): Schema<T> =>
	converted(names, (wanted, reject) => {
		const existingName = (path: string): string => {
			if (path === '' || items.some(({ json }) => get(json, path) !== undefined)) return path;
			const fields = uniq(items.flatMap(({ json }) => Object.keys(json)));
			const alike = fields.filter((name) => visibleName(name) === visibleName(path));
			const isMissing = alike.length === 0 && allowMissing;
			if (alike.length === 1 || isMissing) return alike[0] ?? path;
			return reject(
				`refers to ${listed([path])}, but the rows have ${listed(alike.length > 1 ? alike : fields)}`,
				'Enter field names (separated by commas), not field values. Case and spaces matter. If another node has the rows, connect that node, or join both with Merge (Combine, by Position).',
			);
		};
		return (Array.isArray(wanted) ? wanted.map(existingName) : existingName(wanted)) as T;
	});

/** One row per input item. Fields are read by path, so that nothing is evaluated per item. */
export function itemRows(
	{ same }: Reader,
	items: INodeExecutionData[],
	{ shared }: Header,
): RowSource {
	// Without a field name, the path is []: it finds nothing, but '' would find a field with an empty name.
	const column = (name: string) => property(same(name, columns(items, trimmed)) || []);
	const phone = property(same('phoneField', columns(items, requiredName)));
	// If values may be blank, a field may be missing in all rows.
	const allowMissing = same('options.allowBlankParameters', flag);
	const paramsFields = same('paramsFields', columns(items, fieldNames, allowMissing));
	const params = paramsFields.map(property);
	const name = column('additionalFields.nameField');
	const headerValue = shared ? undefined : column('headerValueField');
	const headerMediaId = shared ? undefined : column('headerMediaIdField');
	function* rowsOf(itemIndexes: number[]) {
		for (const item of itemIndexes) {
			const json = items[item]?.json;
			yield {
				recipient: {
					phone: phone(json),
					params: params.map((value) => value(json)),
					headerValue: headerValue?.(json),
					headerMediaId: headerMediaId?.(json),
					name: name(json),
					...shared,
				},
				fields: json ?? {},
				items: [item],
				place: { row: item + 1 },
				paramsFields,
			};
		}
	}
	return {
		rowsOf,
		nameOf: ({ row }) => `${itemName(row - 1)} (row ${row + 1} of a whole sheet)`,
	};
}

/** One row per entry of the JSON arrays; an array that all items share counts once. */
export function jsonRows({ each }: Reader, { shared = {} }: Header): RowSource {
	const lists = each('recipientsJson', jsonObjects);
	function* rowsOf(itemIndexes: number[]) {
		const isSameArray = itemIndexes.every((item) =>
			isEqual(lists[item], lists[itemIndexes[0] ?? 0]),
		);
		const readItems = isSameArray ? itemIndexes.slice(0, 1) : itemIndexes;
		for (const item of readItems) {
			const items = isSameArray ? itemIndexes : [item];
			for (const [index, entry] of (lists[item] ?? []).entries()) {
				const row = index + 1;
				yield {
					recipient: { ...entry, ...shared },
					fields: entry as IDataObject,
					items,
					place: isSameArray ? { row } : { item, row },
					problem: problemIn(entry, shared),
				};
			}
		}
	}
	return {
		rowsOf,
		nameOf: ({ item, row }) =>
			item === undefined ? `row ${row}` : `row ${row} of ${itemName(item)}`,
	};
}

type Entry = Record<string, unknown>;

const recipientKeys = ['phone', 'params', 'headerValue', 'headerMediaId', 'name'];

/** Why an entry is invalid, before its values are checked. */
function problemIn(entry: Entry, shared: IDataObject): string | undefined {
	const unknown = Object.keys(entry).find((key) => !recipientKeys.includes(key));
	if (unknown !== undefined) {
		const key = JSON.stringify(unknown.slice(0, 40));
		return `it has the unknown key ${key}, which is not one of ${recipientKeys.join(', ')}`;
	}
	const conflict = Object.keys(shared).find((key) => !isNil(entry[key]) && entry[key] !== '');
	return conflict === undefined
		? undefined
		: `it has a ${conflict}, but the field 'Header' sets it for all recipients`;
}

/** Why a row is in no request (docs/contract.md, section 3.7). */
export interface NotSent extends IDataObject {
	reason: 'excluded' | 'invalid' | 'duplicate' | 'simulated';
	/** What is wrong with an invalid row. */
	problem?: string;
}

export interface CheckedRow extends Pick<UncheckedRow, 'fields' | 'items' | 'place'> {
	/** The phone number as it came. */
	phone: unknown;
	/** The recipient to send; absent if the row is invalid or excluded. A duplicate has one as well. */
	checked?: Recipient;
	notSent?: NotSent;
}

/** Whether a row is one of those that Create returned as not sent. */
export const isNotSent = ({ notSent }: IDataObject): boolean => isPlainObject(notSent);

const invalid = (problem: string): Pick<CheckedRow, 'notSent'> => ({
	notSent: { reason: 'invalid', problem },
});

/** Returns the recipient to send, or why the row is not sent. */
export function checkRow(
	{ recipient, problem, paramsFields }: UncheckedRow,
	allowBlank: boolean,
	account: Account,
	guards: Guards,
): Pick<CheckedRow, 'checked' | 'notSent'> {
	const check = checkChatPhone(recipient.phone, account.countryCodes);
	// An opt-out counts even if the row is invalid.
	if ('phone' in check && guards.excluded?.mayContain(check.phone))
		return { notSent: { reason: 'excluded' } };
	if (problem !== undefined) return invalid(problem);
	if ('problem' in check) return invalid(`the phone number ${check.problem}`);
	const refusal = whyNotAllowed(guards, check.phone);
	if (refusal !== undefined) return invalid(refusal);
	const checked: Recipient = { phone: check.phone };
	const params: unknown = recipient.params ?? [];
	if (!Array.isArray(params)) return invalid('params is not an array');
	for (const [index, given] of params.entries()) {
		const value: unknown = given ?? '';
		const isMissing = () => !allowBlank && isBlank(String(value));
		const wrong = textProblem(value) ?? (isMissing() ? 'is missing or blank' : undefined);
		if (wrong === undefined) (checked.params ??= []).push(asText(value));
		else if (paramsFields) return invalid(`the field "${paramsFields[index] ?? ''}" ${wrong}`);
		else return invalid(`the value of parameter {{${index + 1}}} ${wrong}`);
	}
	const header = { headerValue: filesFor(account).headerText, headerMediaId: requiredName };
	for (const key of ['headerValue', 'headerMediaId'] as const) {
		const value = recipient[key] ?? '';
		if (isString(value) && isBlank(value)) continue;
		const result = header[key].safeParse(value);
		if (!result.success) return invalid(`${key} ${result.error.issues[0]?.message}`);
		checked[key] = result.data;
	}
	const wrong = textProblem(recipient.name ?? '');
	if (wrong !== undefined) return invalid(`name ${wrong}`);
	const name = asText(recipient.name).trim();
	if (name !== '') checked.name = name;
	return { checked };
}
