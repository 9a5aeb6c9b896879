import { InputFailure } from '../../api/failure';
import { checkChatPhone } from '../../parameters/phone';
import { isBlank, textProblem } from '../../parameters/schemas';

/** The rows of a campaign. */
export interface Source {
	/** Their numbers, ascending; all up to `count` if there is one campaign only. */
	numbers?: Uint32Array;
	count: number;
	/** Makes a row, which becomes the recipient itself: a second object for each of a million takes longer than all checks. */
	at(number: number): Row;
	/** What keeps a row from being read in full. */
	problemOf(number: number): string | undefined;
}

/** How the rows of a campaign become chunks. */
export interface Chunking<Made> {
	/** Recipients per chunk. */
	size: number;
	removeDuplicates: boolean;
	allowBlank: boolean;
	/** With one of which phone numbers have to begin; any if there are none. */
	countryCodes: readonly string[];
	/** What the message calls the value of a placeholder, counted from 0. */
	paramName(place: number): string;
	/** Rows that are in no chunk, but count as recipients. */
	leftOut?: ReadonlySet<number>;
	/** Made as soon as a chunk is full: recipients that live on make a million of them slow. */
	make(recipients: Row[]): Made;
}

/** A chunk of a campaign. */
export interface Chunk<Made> {
	/** The place of its first recipient among the good ones of the campaign, counted from 1. */
	from: number;
	/** The numbers of its rows. */
	rows: Uint32Array;
	/** Rows before and between them that cannot be sent to; of the last chunk those after it, too. */
	bad: BadRow[];
	made: Made;
}

/** A row that cannot be sent to. */
export interface BadRow {
	number: number;
	value: string;
	reason: string;
}

export interface Chunks<Made> {
	chunks: Array<Chunk<Made>>;
	bad: BadRow[];
	duplicates: number;
}

/**
 * Checks every row of a campaign and makes chunks of the good ones. The documentation does not tell
 * how many values a template takes (docs/service.md, section 10.28): where rows differ in it, those
 * with another count than most are bad.
 *
 * @throws InputFailure when no count is that of most rows
 */
export function chunksOf<Made>(source: Source, chunking: Chunking<Made>): Chunks<Made> {
	const counts = new Map<number, number>();
	const chunks = pass(source, chunking, (row) => {
		const count = paramCount(row);
		counts.set(count, (counts.get(count) ?? 0) + 1);
		return undefined;
	});
	if (counts.size < 2) return chunks;
	const usual = mostFrequent(counts);
	return pass(source, chunking, (row) => {
		const count = paramCount(row);
		return count === usual ? undefined : `it has ${values(count)}, most recipients have ${usual}`;
	});
}

/** One look at every row. */
function pass<Made>(
	source: Source,
	chunking: Chunking<Made>,
	countProblem: (row: Row) => string | undefined,
): Chunks<Made> {
	const { size, removeDuplicates, leftOut, make } = chunking;
	const result: Chunks<Made> = { chunks: [], bad: [], duplicates: 0 };
	const phones = new Set<unknown>();
	const rows = new Uint32Array(Math.min(size, source.count));
	let recipients: Row[] = [];
	/** Bad rows of the chunk that is being filled, and those since the last good row. */
	let bad: BadRow[] = [];
	let since: BadRow[] = [];
	let isLastSent = false;
	let place = 0;
	const close = () => {
		const { length } = recipients;
		if (length === 0) return;
		const from = place - length + 1;
		result.chunks.push({ from, rows: rows.slice(0, length), bad, made: make(recipients) });
		recipients = [];
		bad = [];
	};
	for (let index = 0; index < source.count; index++) {
		const number = source.numbers ? (source.numbers[index] ?? 0) : index;
		const row = source.at(number);
		const reason = source.problemOf(number) ?? refine(row, chunking) ?? countProblem(row);
		if (reason !== undefined) {
			const one = { number, value: shown(row.phone), reason };
			result.bad.push(one);
			since.push(one);
			continue;
		}
		if (removeDuplicates) {
			if (phones.has(row.phone)) {
				result.duplicates++;
				continue;
			}
			phones.add(row.phone);
		}
		if (leftOut?.has(number)) {
			// What a chunk holds is named by its first and last place: it ends at a gap.
			close();
			place++;
			// They were told with the chunk that has been sent.
			since = [];
			isLastSent = true;
			continue;
		}
		place++;
		isLastSent = false;
		if (since.length > 0) {
			bad = bad.concat(since);
			since = [];
		}
		rows[recipients.length] = number;
		recipients.push(row);
		if (recipients.length === size) close();
	}
	close();
	const last = result.chunks.at(-1);
	if (last && !isLastSent) last.bad = last.bad.concat(since);
	return result;
}

/** @throws InputFailure on a tie */
function mostFrequent(counts: Map<number, number>): number {
	const [[usual, rows], [, others]] = [...counts].sort(([, a], [, b]) => b - a) as [
		[number, number],
		[number, number],
	];
	if (rows > others) return usual;
	const listed = [...counts].map(([count, times]) => `${times} have ${values(count)}`).join(', ');
	throw new InputFailure(
		`The recipients have different numbers of placeholder values: ${listed}`,
		'Give every recipient as many values as the template has placeholders. Which number is right cannot be told.',
	);
}

const values = (count: number): string =>
	`${count} placeholder ${count === 1 ? 'value' : 'values'}`;

function shown(value: unknown): string {
	const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
	return text.slice(0, 40);
}

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
const paramCount = ({ params }: Row): number => (Array.isArray(params) ? params.length : 0);

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
