import { castArray, isEqual, isObject, partition } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { ApiRequest } from '../api/client';
import { InputFailure, itemName } from '../api/failure';
import { checkChatPhone, readDigits } from './phone';
import { shown } from './shown';
import { isConstant } from './expressions';
import { rawValue, rejectFromModel, type Read, type ReadValue } from './read';
import { addressIn, anything, isAddress, isBlank, parsed, converted, type Schema } from './schemas';

/** A list of phone numbers, email addresses and domains in any spelling. */
export class Recipients {
	/** Last digits of the phone numbers, to compare with numbers without a country code. */
	private endings?: Set<string>;

	constructor(private readonly entries: ReadonlySet<string>) {}

	get isEmpty(): boolean {
		return this.entries.size === 0;
	}

	/**
	 * Whether the list has an entry of this kind: an email address or domain if `isEmail`, otherwise a phone
	 * number.
	 */
	hasKind(isEmail: boolean): boolean {
		for (const entry of this.entries) if (entry.includes('@') === isEmail) return true;
		return false;
	}

	/** Whether the list names this recipient or its domain. */
	has(recipient: string): boolean {
		const entry = canonical(recipient);
		const domain = entry.slice(entry.lastIndexOf('@'));
		return this.entries.has(entry) || (entry.includes('@') && this.entries.has(domain));
	}

	/** Whether a send might reach somebody on the list; if uncertain, true. */
	mayContain(recipient: string, mayLackCountryCode = false): boolean {
		if (this.has(recipient)) return true;
		// Many mail servers deliver anna+news@ to anna@.
		if (recipient.includes('@')) return this.has(recipient.replace(/^([^+]*)\+.*(?=@)/, '$1'));
		if (!mayLackCountryCode || recipient.startsWith('+')) return false;
		// How the service completes a number without `+` is not documented (docs/service.md, section 4.13).
		this.endings ??= new Set([...this.entries].map(ending));
		return this.endings.has(ending(canonical(recipient)));
	}

	/** What an error message shows of the list: its first three entries. */
	toJSON(): string[] {
		return [...this.entries].slice(0, 3);
	}
}

const ending = (digits: string): string => digits.slice(-10);

/** One spelling per recipient: digits, or an address in lower case with an ASCII domain. */
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

/** A list entry in canonical spelling, or its problem. */
function readEntry(given: unknown): { entry: string } | { problem: string } {
	if (isObject(given))
		return {
			problem: 'it is an object. Use the field of the object that contains the number or address',
		};
	if (typeof given !== 'string' || !given.includes('@')) {
		const check = checkChatPhone(given);
		if ('phone' in check) return { entry: check.phone };
		return { problem: check.problem };
	}
	// `*@host.example` means the domain.
	const text = addressIn(given).replace(/^\*@/, '@');
	if (isAddress(text.startsWith('@') ? `x${text}` : text)) return { entry: canonical(text) };
	return {
		problem: `${shown(text)} is neither an email address nor a domain such as @host.example`,
	};
}

const noOptOuts =
	'is empty. Add an entry, or use an expression that returns [] if nobody has opted out';

const onlyBlanks = 'has only empty entries: check the field that its expression reads';

// The comma in "Doe, Anna" <anna@host.example> does not separate entries.
const entryPattern = /(?:"[^"]*"|[^,;"\p{Cc}\u2028\u2029])+/gu;

/**
 * Reads a list from an array, a single value, or a text with commas, semicolons or line breaks between the
 * entries. The last list is kept, because most items have the same one.
 *
 * @param areOptOuts opt-outs with only blank entries are rejected, but [] is accepted; other lists may be
 * blank
 */
function listSchema(countryCodes: readonly string[], areOptOuts: boolean): Schema<Recipients> {
	let last: { value: unknown; list: Recipients } | undefined;
	return converted(anything, (value, reject) => {
		if (last && isEqual(last.value, value)) return last.list;
		const given = typeof value === 'string' ? (value.match(entryPattern) ?? []) : castArray(value);
		const isGiven = (entry: unknown) => isObject(entry) || !isBlank(String(entry ?? ''));
		const read = given.filter(isGiven).map(readEntry);
		// If all entries are empty, the field that they come from is probably missing.
		if (read.length === 0 && areOptOuts && !isEqual(value, [])) {
			return reject(given.length > 1 ? onlyBlanks : noOptOuts);
		}
		const entries = new Set<string>();
		for (const one of read) {
			if ('problem' in one)
				return reject(
					`has an entry that can't be used: ${one.problem}`,
					'Correct the entry. Commas, semicolons and line breaks separate entries.',
				);
			const { entry } = one;
			const isComplete = countryCodes.some((code) => entry.startsWith(code));
			entries.add(entry);
			// Opt-outs may come from a chat that writes a number as 447700900210@c.us.
			if (areOptOuts) entries.add(entry.replace(/^(\d+)@.*/, '$1'));
			// A number without a country code is listed once with each code that the credential allows.
			if (!isComplete && !entry.includes('@'))
				for (const code of countryCodes) entries.add(code + entry);
		}
		last = { value, list: new Recipients(entries) };
		return last.list;
	});
}

/**
 * The lists of both options. If Allowed Recipients is empty, nobody is allowed. Opt-outs with only blank
 * entries are rejected; [] is accepted.
 */
const schemasOf = (countryCodes: readonly string[]) => ({
	allowedRecipients: listSchema([], false),
	excludedRecipients: listSchema(countryCodes, true),
});

const schemas = new WeakMap<IExecuteFunctions, ReturnType<typeof schemasOf>>();

/** Allowed recipients (everybody if absent) and excluded ones (docs/contract.md, section 3.3). */
export interface Guards {
	allowed?: Recipients;
	excluded?: Recipients;
	/**
	 * Whether it is an error if no opt-out is of the recipients' kind. In production, nobody of that kind may
	 * have opted out yet.
	 */
	checksKind?: boolean;
}

/** Reads both options of an item, or of all items together; throws InputFailure. */
export function readGuards({ has, context, countryCodes }: Read, read: ReadValue): Guards {
	const listSchemas = schemas.get(context) ?? schemasOf(countryCodes);
	schemas.set(context, listSchemas);
	const listIn = (option: keyof typeof listSchemas, label: string): Recipients | undefined => {
		const name = `options.${option}`;
		if (!has(name)) return undefined;
		rejectFromModel(context, name, label);
		return read(name, listSchemas[option]);
	};
	return {
		allowed: listIn('allowedRecipients', 'Allowed Recipients'),
		excluded: listIn('excludedRecipients', 'Excluded Recipients'),
		checksKind:
			context.getMode() === 'manual' || isConstant(rawValue(context, 'options.excludedRecipients')),
	};
}

/** Throws InputFailure if all opt-outs are of another kind than the recipients: they would exclude nobody. */
export function checkKind({ excluded, checksKind }: Guards, recipient: string): void {
	const isEmail = recipient.includes('@');
	if (!checksKind || !excluded || excluded.isEmpty || excluded.hasKind(isEmail)) return;
	const [needed, given] = isEmail
		? ['email addresses', 'phone numbers']
		: ['phone numbers', 'email addresses'];
	throw new InputFailure(
		`Excluded Recipients contains only ${given}, but this node sends to ${needed}`,
		`Use a list of ${needed}, or an expression that returns [] if nobody has opted out.`,
	);
}

/** Why a recipient is not allowed; undefined if it is. */
export function whyNotAllowed({ allowed }: Guards, recipient: string): string | undefined {
	if (!allowed || allowed.has(recipient)) return undefined;
	return allowed.isEmpty
		? `Allowed Recipients is empty, so ${recipient} gets nothing`
		: `Allowed Recipients does not include ${recipient}`;
}

/**
 * Removes excluded recipients from a request. Throws InputFailure if a kept one is not allowed.
 *
 * @returns `facts` for the output. If all recipients are excluded, nothing is requested: `excludedRecord` is
 * the output, and the job does not count as simulated.
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
	checkKind(guards, String(all[0]));
	const [removed, remaining] = partition(all, (to) => excluded?.mayContain(to, field === 'to'));
	if (remaining.length === 0)
		return { excludedRecord: { excluded: true, [field]: fields[field] }, isSimulated: false };
	for (const recipient of remaining) {
		const problem = whyNotAllowed(guards, recipient);
		if (problem === undefined) continue;
		throw new InputFailure(
			itemIndex === undefined ? problem : `${problem} (${itemName(itemIndex)})`,
			'Add the recipient to the option Allowed Recipients of this node, or send to one that the option includes.',
		);
	}
	if (removed.length === 0) return {};
	fields[field] = remaining.join(', ');
	return { facts: { excludedCount: removed.length, excluded: removed } };
}
