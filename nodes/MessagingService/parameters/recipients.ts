import { castArray, isEqual, isObject, partition } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { ApiRequest } from '../api/client';
import { InputFailure, itemName } from '../api/failure';
import { checkChatPhone, readDigits, shown, type PhoneCheck } from './phone';
import { refuseFromModel, type Read, type ReadValue } from './read';
import { addressIn, anything, isAddress, isBlank, parsed, reading, type Schema } from './schemas';

/** Phone numbers, email addresses and domains, however each is written. */
export class Recipients {
	/** Ends of the phone numbers, to compare with a number that lacks its country code. */
	private endings?: Set<string>;

	constructor(private readonly entries: ReadonlySet<string>) {}

	get isEmpty(): boolean {
		return this.entries.size === 0;
	}

	/** Whether the list names this recipient or its domain. */
	has(recipient: string): boolean {
		const one = canonical(recipient);
		const domain = one.slice(one.lastIndexOf('@'));
		return this.entries.has(one) || (one.includes('@') && this.entries.has(domain));
	}

	/** Whether a send might reach somebody on the list: in doubt, it does. */
	mayReach(recipient: string, isCall = false): boolean {
		if (this.has(recipient)) return true;
		// Many mail servers deliver anna+news@ to anna@.
		if (recipient.includes('@')) return this.has(recipient.replace(/^([^+]*)\+.*(?=@)/, '$1'));
		if (!isCall || recipient.startsWith('+')) return false;
		// How the service completes such a number is not documented (docs/service.md, section 4.13).
		this.endings ??= new Set([...this.entries].map(ending));
		return this.endings.has(ending(canonical(recipient)));
	}

	/** What a message shows of it. */
	toJSON(): string[] {
		return [...this.entries].slice(0, 3);
	}
}

const ending = (digits: string): string => digits.slice(-10);

/** One spelling for all that reach the same: digits, or an address in lower case with an ASCII domain. */
function canonical(recipient: string): string {
	if (!recipient.includes('@')) {
		const read = readDigits(recipient);
		return 'phone' in read ? read.phone : recipient;
	}
	const [name = '', domain = ''] = recipient.toLowerCase().split('@');
	const isPlain = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(domain);
	const host = isPlain ? domain : (parsed(`http://${domain}`)?.hostname ?? domain);
	return `${name.normalize('NFKC')}@${host.replace(/\.$/, '')}`;
}

/** An entry of a list in that spelling, or what is wrong with it. */
function readEntry(entry: unknown): PhoneCheck {
	if (isObject(entry))
		return { problem: 'an object is not text. Take the field that holds its number or address' };
	if (typeof entry !== 'string' || !entry.includes('@')) return checkChatPhone(entry);
	// A star for any name means the domain.
	const text = addressIn(entry).replace(/^\*@/, '@');
	if (isAddress(text.startsWith('@') ? `x${text}` : text)) return { phone: canonical(text) };
	return {
		problem: `${shown(text)} is neither an email address nor a domain such as @host.example`,
	};
}

// Commas inside quotation marks belong to a name.
const separateEntry = /(?:"[^"]*"|[^,;"\p{Cc}\u2028\u2029])+/gu;

/**
 * A list as text with commas or lines, or as one value or several. It keeps the list that it has read
 * last, because most items have the same one.
 *
 * @param empty what is wrong with a value that holds no list
 */
function listSchema(countryCodes: readonly string[], empty?: string): Schema<Recipients> {
	let last: { value: unknown; list: Recipients } | undefined;
	return reading(anything, (value, refuse) => {
		if (last && isEqual(last.value, value)) return last.list;
		const given = typeof value === 'string' ? (value.match(separateEntry) ?? []) : castArray(value);
		const isGiven = (entry: unknown) => isObject(entry) || !isBlank(String(entry ?? ''));
		const read = given.filter(isGiven).map(readEntry);
		// Entries that are all empty come from a field that is not there.
		if (read.length === 0 && empty !== undefined && !isEqual(value, [])) return refuse(empty);
		const entries = new Set<string>();
		for (const one of read) {
			if ('problem' in one) return refuse(`has an entry that can't be used: ${one.problem}`);
			const isComplete = countryCodes.some((code) => one.phone.startsWith(code));
			entries.add(one.phone);
			// Opt-outs may come from a chat that writes a number as 447700900210@c.us.
			if (empty !== undefined) entries.add(one.phone.replace(/^(\d+)@.*/, '$1'));
			// A number that lacks its country code counts with each that the credential allows.
			if (!isComplete) for (const code of countryCodes) entries.add(code + one.phone);
		}
		last = { value, list: new Recipients(entries) };
		return last.list;
	});
}

/** The lists of both options: without any, nobody is allowed, and an opt-out list stops the item. */
const schemasOf = (countryCodes: readonly string[]) => ({
	allowedRecipients: listSchema([]),
	excludedRecipients: listSchema(
		countryCodes,
		'is empty. Add at least one entry, or use an empty list ([]) if nobody has opted out',
	),
});

const schemas = new WeakMap<IExecuteFunctions, ReturnType<typeof schemasOf>>();

/** Who may be reached, anybody if absent, and who must not (docs/contract.md, section 3.3). */
export interface Guards {
	allowed?: Recipients;
	excluded?: Recipients;
}

/** Reads both options of an item, or of all items together; throws InputFailure. */
export function readGuards({ has, context, countryCodes }: Read, read: ReadValue): Guards {
	const own = schemas.get(context) ?? schemasOf(countryCodes);
	schemas.set(context, own);
	const listIn = (option: keyof typeof own, label: string): Recipients | undefined => {
		const name = `options.${option}`;
		if (!has(name)) return undefined;
		refuseFromModel(context, name, label);
		return read(name, own[option]);
	};
	return {
		allowed: listIn('allowedRecipients', 'Allowed Recipients'),
		excluded: listIn('excludedRecipients', 'Excluded Recipients'),
	};
}

/** Why a recipient may not be reached; undefined if it may. */
export function notAllowed({ allowed }: Guards, recipient: string): string | undefined {
	if (!allowed || allowed.has(recipient)) return undefined;
	const lack = allowed.isEmpty ? 'is empty: it does' : 'does';
	return `Allowed Recipients ${lack} not include ${recipient}`;
}

/**
 * Takes excluded recipients out of a request. Throws InputFailure where another one is not allowed.
 *
 * @returns what is added to the output, or what comes out in place of a request that nobody is left for
 */
export function guard(
	{ body = {}, form }: ApiRequest,
	guards: Guards,
	itemIndex?: number,
): { facts?: IDataObject; excluded?: IDataObject; isTrial?: false } {
	const { allowed, excluded } = guards;
	if (!allowed && !excluded) return {};
	const fields: IDataObject = form?.fields ?? body;
	const field = 'phone' in fields ? 'phone' : 'to';
	const all = String(fields[field]).split(', ');
	const [out, left] = partition(all, (one) => excluded?.mayReach(one, field === 'to'));
	if (left.length === 0)
		return { excluded: { excluded: true, [field]: fields[field] }, isTrial: false };
	for (const one of left) {
		const problem = notAllowed(guards, one);
		if (problem === undefined) continue;
		throw new InputFailure(
			itemIndex === undefined ? problem : `${problem} (${itemName(itemIndex)})`,
			'Add the recipient to the option Allowed Recipients of this node, or choose one that the option includes.',
		);
	}
	if (out.length === 0) return {};
	fields[field] = left.join(', ');
	return { facts: { excludedCount: out.length, excluded: out } };
}
