import type { INodeExecutionData } from 'n8n-workflow';
import { choices, jsonObjects, requiredName, trimmed } from '../../parameters/schemas';
import type { Read } from '../../parameters/read';
import type { Row } from './recipients';

/** Gives the values of a row by its index. */
export interface Rows {
	count: number;
	/** A new row, which may be changed. */
	at(index: number): Row;
	/** The input items that rows come from. */
	itemsOf(rows: number[]): number[];
}

/** One row per input item; the fields are looked up by path, so that nothing is evaluated per item. */
export function rowsOfItems(read: Read, items: INodeExecutionData[]): Rows {
	const phone = fieldGetter(read('phoneField', requiredName));
	const params = read('paramsFields', choices)
		.filter((field) => field !== '')
		.map(fieldGetter);
	const name = fieldGetter(read('nameField', trimmed));
	const headerValue = fieldGetter(read('headerValueField', trimmed));
	const headerMediaId = fieldGetter(read('headerMediaIdField', trimmed));
	return {
		count: items.length,
		at: (index) => {
			const json = items[index]?.json;
			// `map` would take as long as all the rest, and `push` more memory.
			const values = new Array<unknown>(params.length);
			for (let place = 0; place < values.length; place++) values[place] = params[place]?.(json);
			return {
				phone: phone(json),
				params: values,
				headerValue: headerValue(json),
				headerMediaId: headerMediaId(json),
				name: name(json),
			};
		},
		itemsOf: (rows) => rows,
	};
}

/** One row per entry of the JSON array, which is read once, with the first input item. */
export function rowsOfJson(read: Read): Rows {
	const entries = read('recipientsJson', jsonObjects);
	return {
		count: entries.length,
		at: (index) => {
			const { phone, params, headerValue, headerMediaId, name } = entries[index] ?? {};
			const values = Array.isArray(params) ? [...params] : params;
			return { phone, params: values, headerValue, headerMediaId, name };
		},
		itemsOf: () => [0],
	};
}

/** Looks a field up by its name, or by its path where no field has that very name. */
function fieldGetter(path: string): (json: unknown) => unknown {
	if (path === '') return () => undefined;
	const keys = path.match(/[^.[\]"']+/g) ?? [];
	const own = ownGetter(path);
	if (keys.length < 2) return own;
	const steps = keys.map(ownGetter);
	return (json) => own(json) ?? steps.reduce((value, get) => get(value), json);
}

/** Reads a field that the value itself has; what objects and arrays inherit is not one. */
function ownGetter(key: string): (value: unknown) => unknown {
	// Only such a key has to be looked up in each of a million rows the slow way.
	if (key in Array.prototype) {
		return (value) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined);
	}
	return (value) => (isObject(value) ? value[key] : undefined);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;
