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

/** The rows of a campaign, counted from 0. */
export interface Source {
	count: number;
	/** Makes a row, which becomes the recipient itself: a second object for each of a million takes longer than all checks. */
	at(number: number): Row;
	/** What keeps a row from being read in full. */
	problemOf(number: number): string | undefined;
	/** What the message calls the value of a placeholder, counted from 0. */
	paramName(place: number): string;
}

/** How the rows of a campaign become chunks. */
export interface Chunking<Made> {
	/** Recipients per chunk. */
	size: number;
	removeDuplicates: boolean;
	/** Whether a placeholder may get no value or only spaces. */
	allowBlank: boolean;
	/** With one of which phone numbers have to begin; any if there are none. */
	countryCodes: readonly string[];
	/** Whether a row is in no chunk, but counts as a recipient. */
	isLeftOut(phone: string, row: number): boolean;
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
	/** Good rows, those that are left out included. */
	good: number;
}

/** Checks every row of a campaign and makes chunks of the good ones. */
export function chunksOf<Made>(source: Source, chunking: Chunking<Made>): Chunks<Made> {
	const { size, removeDuplicates, make } = chunking;
	const result: Chunks<Made> = { chunks: [], bad: [], duplicates: 0, good: 0 };
	const { chunks, bad } = result;
	const phones = new Set<unknown>();
	/** The chunk that is being filled. */
	let rows: number[] = [];
	let recipients: Row[] = [];
	/** Bad rows that are told with a chunk, and those before the last good row. */
	let told = 0;
	let before = 0;
	const close = (until: number) => {
		if (recipients.length === 0) return;
		chunks.push({
			from: result.good - recipients.length + 1,
			rows: Uint32Array.from(rows),
			bad: bad.slice(told, until),
			made: make(recipients),
		});
		told = until;
		rows = [];
		recipients = [];
	};
	for (let number = 0; number < source.count; number++) {
		const row = source.at(number);
		const reason = source.problemOf(number) ?? refine(row, source, chunking);
		if (reason !== undefined) {
			bad.push({ number, value: shown(row.phone), reason });
			continue;
		}
		if (removeDuplicates) {
			if (phones.has(row.phone)) {
				result.duplicates++;
				continue;
			}
			phones.add(row.phone);
		}
		const isLeftOut = chunking.isLeftOut(String(row.phone), number);
		// What a chunk holds is named by its first and last place: it ends at a gap.
		if (isLeftOut || recipients.length === size) close(before);
		result.good++;
		before = bad.length;
		if (isLeftOut) {
			// They were told with the chunk that has been sent.
			told = before;
			continue;
		}
		rows.push(number);
		recipients.push(row);
	}
	close(bad.length);
	return result;
}

function shown(value: unknown): string {
	const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
	return text.slice(0, 40);
}

/** Makes a row a recipient, or tells what is wrong with it and leaves its phone number as it was. */
function refine(
	row: Row,
	{ paramName }: Pick<Source, 'paramName'>,
	{ allowBlank, countryCodes }: Pick<Chunking<never>, 'allowBlank' | 'countryCodes'>,
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

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

const textOf = (value: unknown): string | undefined => (isEmpty(value) ? undefined : String(value));
