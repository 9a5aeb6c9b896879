import { castArray, isEqual, isString, partition, union } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest } from '../api/client';
import { InputFailure, itemName } from '../api/failure';
import { wholeColumn } from './fields';
import { checkChatPhone, readDigits } from './phone';
import { shown } from './shown';
import type { ReadShared } from './read';
import { addressIn, anything, converted, isBlank, mailboxOf, parsed, type Schema } from './schemas';

/** A list of phone numbers, email addresses and domains in any spelling. */
export class Recipients {
	private readonly endings: ReadonlySet<string>;
	private readonly shortEndings: ReadonlySet<string>;

	constructor(private readonly entries: ReadonlySet<string>) {
		const numbers = [...entries].filter((entry) => !entry.includes('@'));
		this.endings = new Set(numbers.map(ending));
		this.shortEndings = new Set(numbers.map(shortEnding));
	}

	get isEmpty(): boolean {
		return this.entries.size === 0;
	}

	/** Whether the list names this recipient or its domain. */
	has(recipient: string): boolean {
		const entry = canonical(recipient);
		// A mail server may forward such an address, e.g. anna%other.example@host.example, to another domain.
		const isForwarded = /%|!|=\?|@.*@/.test(entry);
		return this.entries.has(entry) || (!isForwarded && this.entries.has(domainOf(entry)));
	}

	/** Whether a send might reach somebody on the list; if uncertain, true (docs/contract.md, section 3.3). */
	mayContain(recipient: string): boolean {
		const entry = canonical(recipient);
		if (entry.includes('@')) return this.entries.has(entry) || this.entries.has(domainOf(entry));
		const end = ending(entry);
		// If either number has only seven digits, these are compared.
		if (end === shortEnding(end)) return this.shortEndings.has(end);
		return this.endings.has(end) || this.endings.has(shortEnding(end));
	}

	/** What an error message shows of the list: its first three entries. */
	toJSON(): string[] {
		return [...this.entries].slice(0, 3);
	}
}

/** What all spellings of a number have in common, whatever stands in front. */
const ending = (digits: string): string => digits.slice(-8);

const shortEnding = (digits: string): string => digits.slice(-7);

/** The domain of an address, with `@`. */
const domainOf = (entry: string): string => /@[^@]*$/.exec(entry)?.[0] ?? entry;

/** One spelling per recipient: digits, or an address in lower case with an ASCII domain. */
function canonical(recipient: string): string {
	if (!recipient.includes('@')) {
		const read = readDigits(recipient);
		return 'phone' in read ? read.phone : recipient;
	}
	const at = recipient.lastIndexOf('@');
	const name = recipient.slice(0, at).toLowerCase();
	const domain = recipient.slice(at + 1).toLowerCase();
	const isPlain = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(domain);
	const host = isPlain ? domain : (parsed(`http://${domain}`)?.hostname ?? domain);
	return `${name.normalize()}@${host.replace(/\.$/, '')}`;
}

/** The recipients that a list entry names, or its problem. */
type Entry = { names: string[] } | { problem: string };

const readNumber = (given: unknown): Entry => {
	const check = checkChatPhone(given);
	return 'phone' in check ? { names: [check.phone] } : check;
};

/** More digits are two numbers in one entry, of which one would be passed over. */
const maxOptOutLength = 15;

/** The digits of an opt-out, with or without country code, trunk or international prefix. */
const readOptOut = (given: unknown): Entry => {
	const read = readDigits(isString(given) ? given.replace(/\(\s*0\s*\)/, ' ') : given);
	if ('problem' in read) return read;
	const digits = read.phone.replace(/^0+/, '');
	if (digits.length >= 7 && digits.length <= maxOptOutLength) return { names: [digits] };
	return {
		problem: `${shown(given)} needs 7 to ${maxOptOutLength} digits without leading zeros, but has ${digits.length}`,
	};
};

const readEntry = (given: unknown, readNumberIn: (number: unknown) => Entry): Entry => {
	if (typeof given !== 'string' || !given.includes('@')) return readNumberIn(given);
	// `*@host.example` means the domain.
	const text = addressIn(given).replace(/^\*@/, '@');
	return mailboxOf(text.startsWith('@') ? `x${text}` : text)
		? { names: [canonical(text)] }
		: { problem: `${shown(text)} is neither an email address nor a domain such as @host.example` };
};

// The comma in "Doe, Anna" <anna@host.example> does not separate entries.
const entryPattern = /(?:"[^"]*"|[^,;"\p{Cc}\u2028\u2029])+/gu;

/**
 * Reads a list from an array, a single value, or a text with commas, semicolons or line breaks between the
 * entries. The last list is kept, because most items have the same one.
 *
 * @param mayBeBlank whether the list may have no entries; [] is always accepted
 */
function listSchema(mayBeBlank: boolean, read: (given: unknown) => Entry): Schema<Recipients> {
	let last: { value: unknown; list: Recipients } | undefined;
	return converted(anything, (value, reject) => {
		if (last && isEqual(last.value, value)) return last.list;
		const given = typeof value === 'string' ? (value.match(entryPattern) ?? []) : castArray(value);
		const entries = new Set<string>();
		for (const one of given) {
			if (isBlank(String(one ?? ''))) continue;
			const entry = read(one);
			if ('problem' in entry) return reject(`has an invalid entry: ${entry.problem}`);
			for (const name of entry.names) entries.add(name);
		}
		if (entries.size === 0 && !mayBeBlank && !isEqual(value, []))
			return reject(
				'is empty',
				`Add an entry, or use an expression that returns [] for nobody. For a table: ${wholeColumn}`,
			);
		last = { value, list: new Recipients(entries) };
		return last.list;
	});
}

/** If Allowed Recipients is empty, nobody is allowed. */
export const allowedList = listSchema(true, (given) => readEntry(given, readNumber));

/** Excluding too much is cheap, so an opt-out counts in every spelling that may mean it. */
export const excludedList = listSchema(false, (given) => {
	const entry = readEntry(given, readOptOut);
	if ('problem' in entry) return entry;
	const [address = ''] = entry.names;
	// A chat address such as 447700900210@c.us also names the number.
	const number = address.includes('@') ? readOptOut(address.split('@')[0]) : entry;
	return { names: union(entry.names, 'names' in number ? number.names : []) };
});

/** Allowed recipients (everybody if absent) and excluded ones (docs/contract.md, section 3.3). */
export interface Guards {
	allowed?: Recipients;
	excluded?: Recipients;
}

/** Reads both options of an item, or of all items together; throws InputFailure. */
export function readGuards(read: ReadShared): Guards {
	const listIn = (name: string, schema: Schema<Recipients>) =>
		read.has(name) ? read(name, schema) : undefined;
	return {
		allowed: listIn('options.allowedRecipients', allowedList),
		excluded: listIn('options.excludedRecipients', excludedList),
	};
}

/** Why a recipient is not allowed; undefined if it is. */
export function whyNotAllowed({ allowed }: Guards, recipient: string): string | undefined {
	if (!allowed || allowed.has(recipient)) return undefined;
	return allowed.isEmpty
		? `Allowed Recipients is empty, so ${recipient} gets nothing`
		: `Allowed Recipients does not include ${recipient}`;
}

/**
 * Removes excluded recipients from a request and returns `facts` for the output, or the whole output if none is
 * left. Throws InputFailure if a kept one is not allowed. A call to an allowed number gets its `+`, because that list
 * has country codes.
 */
export function applyGuards(
	{ body = {}, form }: ApiRequest,
	guards: Guards,
	itemIndex?: number,
): { facts?: IDataObject; excludedRecord?: IDataObject; isSimulated?: false } {
	const { allowed, excluded } = guards;
	if (!allowed && !excluded) return {};
	const fields: IDataObject = form?.fields ?? body;
	const field = 'phone' in fields ? 'phone' : 'to';
	const all = String(fields[field]).split(', ');
	const [removed, remaining] = partition(all, (to) => excluded?.mayContain(to));
	if (remaining.length === 0)
		return { excludedRecord: { excluded: true, [field]: fields[field] }, isSimulated: false };
	for (const recipient of remaining) {
		const problem = whyNotAllowed(guards, recipient);
		if (problem === undefined) continue;
		throw new InputFailure(
			itemIndex === undefined ? problem : `${problem} (${itemName(itemIndex)})`,
			"Add the recipient to the option 'Allowed Recipients' of this node, or send to one that the option includes.",
		);
	}
	if (allowed && /^\d+$/.test(String(fields.to))) fields.to = `+${String(fields.to)}`;
	if (removed.length === 0) return {};
	fields[field] = remaining.join(', ');
	return { facts: { excludedCount: removed.length, excluded: removed } };
}
