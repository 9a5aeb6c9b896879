import type { IDataObject } from 'n8n-workflow';
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
export interface Chunking {
	/** What a request has besides its recipients. */
	common: IDataObject;
	/** Recipients per chunk. */
	size: number;
	removeDuplicates: boolean;
	/** Whether a placeholder may get no value or only spaces. */
	allowBlank: boolean;
	/** With one of which phone numbers have to begin; any if there are none. */
	countryCodes: readonly string[];
	/** Whether a row is in no chunk, but counts as a recipient. */
	isLeftOut(phone: string, row: number): boolean;
}

/** A chunk of a campaign. */
export interface Chunk {
	/** The place of its first recipient among the good ones of the campaign, counted from 1. */
	from: number;
	/** The numbers of its rows. */
	rows: Uint32Array;
	/** Rows before and between them that cannot be sent to; of the last chunk those after it, too. */
	bad: BadRow[];
	/** Phone numbers in the order of its rows. */
	recipients: string[];
	/** JSON, written as soon as a chunk is full: recipients that live on make a million of them slow. */
	body: Buffer;
}

/** A row that cannot be sent to. */
export interface BadRow {
	number: number;
	value: string;
	reason: string;
}

export interface Chunks {
	chunks: Chunk[];
	bad: BadRow[];
	duplicates: number;
	/** Good rows, those that are left out included. */
	good: number;
}

/** Checks every row of a campaign and makes chunks of the good ones. */
export function chunksOf(source: Source, chunking: Chunking): Chunks {
	const { common, size, removeDuplicates, isLeftOut } = chunking;
	const result: Chunks = { chunks: [], bad: [], duplicates: 0, good: 0 };
	const phones = new Set<string>();
	/** What the chunk that is being filled holds. */
	let rows: number[] = [];
	let recipients: Row[] = [];
	let bad: BadRow[] = [];
	/** Bad rows since the last good one. */
	let waiting: BadRow[] = [];
	const close = () => {
		if (rows.length > 0) {
			result.chunks.push({
				from: result.good - rows.length + 1,
				rows: Uint32Array.from(rows),
				bad,
				recipients: recipients.map(({ phone }) => String(phone)),
				body: Buffer.from(JSON.stringify({ ...common, recipients })),
			});
		}
		[rows, recipients, bad] = [[], [], []];
	};
	for (let number = 0; number < source.count; number++) {
		const row = source.at(number);
		const reason = source.problemOf(number) ?? refine(row, source, chunking);
		if (reason !== undefined) {
			const one = { number, value: shown(row.phone), reason };
			result.bad.push(one);
			waiting.push(one);
			continue;
		}
		const phone = String(row.phone);
		if (removeDuplicates) {
			if (phones.has(phone)) {
				result.duplicates++;
				continue;
			}
			phones.add(phone);
		}
		const isSent = isLeftOut(phone, number);
		// What a chunk holds is named by its first and last place: it ends at a gap.
		if (isSent || rows.length === size) close();
		result.good++;
		if (waiting.length > 0) {
			// Those before a row that was sent were told with it.
			if (!isSent) bad = bad.concat(waiting);
			waiting = [];
		}
		if (isSent) continue;
		rows.push(number);
		recipients.push(row);
	}
	bad = bad.concat(waiting);
	close();
	return result;
}

function shown(value: unknown): string {
	const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
	return text.slice(0, 40);
}

/** Makes a row a recipient, or tells what is wrong with it and leaves its phone number as it was. */
function refine(
	row: Row,
	{ paramName }: Source,
	{ allowBlank, countryCodes }: Chunking,
): string | undefined {
	const check = checkChatPhone(row.phone, countryCodes);
	if ('problem' in check) return `the phone number ${check.problem}`;
	const params = row.params ?? [];
	if (!Array.isArray(params)) return 'params is not an array';
	for (let index = 0; index < params.length; index++) {
		const value: unknown = params[index] ?? '';
		const problem = textProblem(value);
		if (problem !== undefined) return `${paramName(index)} ${problem}`;
		params[index] = String(value);
		if (!allowBlank && isBlank(String(value))) return `${paramName(index)} is missing or blank`;
	}
	for (const key of ['headerValue', 'headerMediaId', 'name'] as const) {
		const value = row[key] ?? '';
		const problem = textProblem(value);
		if (problem !== undefined) return `${key} ${problem}`;
		row[key] = value === '' ? undefined : String(value);
	}
	row.params = params.length === 0 ? undefined : params;
	row.phone = check.phone;
	return undefined;
}
