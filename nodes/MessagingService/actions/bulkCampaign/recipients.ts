import { checkChatPhone } from '../../parameters/phone';

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

/** A row that cannot be sent to. */
export interface BadRow {
	/** Counted from 1. */
	row: number;
	value: string;
	reason: string;
}

export interface Checked<Chunk> {
	/** The good rows: for each chunk the indices of its rows and what was made from them. */
	chunks: Array<{ rows: number[]; chunk: Chunk }>;
	bad: BadRow[];
	duplicates: number;
}

/** How good rows become chunks. */
export interface Chunking<Chunk> {
	/** Recipients per chunk. */
	size: number;
	/** Made as soon as a chunk is full: recipients that live on make a million of them slow. */
	make(recipients: Row[]): Chunk;
}

/**
 * Checks every row: phone number, as many parameters as the first recipient, header value or media
 * id but not both.
 *
 * @param rowAt makes the row with an index; it becomes the recipient itself, since a second object
 * for each of a million rows takes longer than all checks
 */
export function checkRows<Chunk>(
	count: number,
	rowAt: (index: number) => Row,
	removeDuplicates: boolean,
	{ size, make }: Chunking<Chunk>,
): Checked<Chunk> {
	const checked: Checked<Chunk> = { chunks: [], bad: [], duplicates: 0 };
	let recipients: Row[] = [];
	let rows: number[] = [];
	const close = () => {
		if (rows.length > 0) checked.chunks.push({ rows, chunk: make(recipients) });
		recipients = [];
		rows = [];
	};
	const phones = new Set<unknown>();
	let paramCount: number | undefined;

	for (let index = 0; index < count; index++) {
		const row = rowAt(index);
		const reason = refine(row, paramCount);
		if (reason !== undefined) {
			checked.bad.push({ row: index + 1, value: shown(row.phone), reason });
			continue;
		}
		paramCount ??= Array.isArray(row.params) ? row.params.length : 0;
		if (removeDuplicates) {
			if (phones.has(row.phone)) {
				checked.duplicates++;
				continue;
			}
			phones.add(row.phone);
		}
		recipients.push(row);
		rows.push(index);
		if (rows.length === size) close();
	}
	close();
	return checked;
}

/** Makes a row a recipient, or tells what is wrong with it and leaves its phone number as it was. */
function refine(row: Row, paramCount: number | undefined): string | undefined {
	const { phone, headerValue, headerMediaId, name } = row;
	const params = row.params ?? [];
	const check = checkChatPhone(phone);
	if ('problem' in check) return `the phone number ${check.problem}`;
	if (!Array.isArray(params)) return 'params is not an array';
	for (let index = 0; index < params.length; index++) {
		const value: unknown = params[index];
		if (!isScalar(value)) return `the value of parameter {{${index + 1}}} is missing or not text`;
		params[index] = String(value);
	}
	if (paramCount !== undefined && params.length !== paramCount) {
		return `it has ${params.length} parameters, the first recipient has ${paramCount}`;
	}
	if (!isText(headerValue)) return 'headerValue is not text';
	if (!isText(headerMediaId)) return 'headerMediaId is not text';
	if (!isText(name)) return 'name is not text';
	if (!isEmpty(headerValue) && !isEmpty(headerMediaId)) {
		return 'it has both a header value and a header media ID';
	}
	row.phone = check.phone;
	if (params.length === 0) row.params = undefined;
	row.headerValue = textOf(headerValue);
	row.headerMediaId = textOf(headerMediaId);
	row.name = textOf(name);
	return undefined;
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

const isText = (value: unknown): boolean => isEmpty(value) || isScalar(value);

const textOf = (value: unknown): string | undefined => (isEmpty(value) ? undefined : String(value));

function isScalar(value: unknown): boolean {
	const type = typeof value;
	return type === 'string' || type === 'number' || type === 'boolean';
}

function shown(value: unknown): string {
	const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
	return text.slice(0, 40);
}
