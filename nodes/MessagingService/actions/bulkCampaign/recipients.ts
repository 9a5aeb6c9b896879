import { checkChatPhone } from '../../parameters/phone';
import { isBlank, textProblem } from '../../parameters/schemas';

/**
 * A row as it is read, and once it is checked a recipient as the service takes it
 * (docs/service.md, section 4.8). Its keys go out in this order.
 */
export interface Row {
	phone: unknown;
	params: unknown;
	headerValue: unknown;
	headerMediaId: unknown;
	name: unknown;
}

/** What a recipient may be. */
interface Rules {
	/** Whether a placeholder may get no value or only spaces. */
	allowBlank: boolean;
	/** With one of which the phone number has to begin; any if there are none. */
	countryCodes: readonly string[];
	/** What the message calls the value of a placeholder, counted from 0. */
	paramName(place: number): string;
}

/** Makes a row a recipient, or tells what is wrong with it and leaves its phone number as it was. */
export function refine(
	row: Row,
	{ allowBlank, countryCodes, paramName }: Rules,
): string | undefined {
	const { phone, headerValue, headerMediaId, name } = row;
	const params = row.params ?? [];
	const check = checkChatPhone(phone, countryCodes);
	if ('problem' in check) return `the phone number ${check.problem}`;
	if (!Array.isArray(params)) return 'params is not an array';
	for (let index = 0; index < params.length; index++) {
		const value: unknown = params[index] ?? '';
		const problem = textProblem(value);
		if (problem !== undefined) return `${paramName(index)} ${problem}`;
		const text = String(value);
		if (!allowBlank && isBlank(text)) {
			return `${paramName(index)} is missing or blank`;
		}
		params[index] = text;
	}
	for (const [key, value] of Object.entries({ headerValue, headerMediaId, name })) {
		const problem = textProblem(value ?? '');
		if (problem !== undefined) return `${key} ${problem}`;
	}
	row.phone = check.phone;
	row.params = params.length === 0 ? undefined : params;
	row.headerValue = textOf(headerValue);
	row.headerMediaId = textOf(headerMediaId);
	row.name = textOf(name);
	return undefined;
}

/** How many placeholder values a recipient has. */
export const paramCount = ({ params }: Row): number => (Array.isArray(params) ? params.length : 0);

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

const textOf = (value: unknown): string | undefined => (isEmpty(value) ? undefined : String(value));

/** Keys of a recipient (docs/service.md, section 4.8). */
const recipientKeys = new Set(['phone', 'params', 'headerValue', 'headerMediaId', 'name']);

/** What people write for a key, without capitals, dashes and underscores. */
const meant: Array<[RegExp, string]> = [
	[/param|placeholder|variable|^values?$/, 'params'],
	[/media.*id/, 'headerMediaId'],
	[/header|media|image|document|video/, 'headerValue'],
	[/phone|number|^to$|mobile|recipient$|whatsapp/, 'phone'],
	[/name/, 'name'],
];

/**
 * What is wrong with the keys of a JSON recipient: one that the service does not know would get
 * lost without a word.
 */
export function keyProblem(recipient: Record<string, unknown>): string | undefined {
	for (const key of Object.keys(recipient)) {
		if (recipientKeys.has(key)) continue;
		const plain = key.toLowerCase().replace(/[^a-z]/g, '');
		const hint = meant.find(([pattern]) => pattern.test(plain))?.[1];
		const known = `known are ${[...recipientKeys].join(', ')}`;
		return `it has the unknown key ${JSON.stringify(key.slice(0, 40))}: ${hint ? `did you mean ${hint}?` : known}`;
	}
	return undefined;
}
