import { checkChatPhone } from '../../api/phone';

/** One recipient as the service takes it (service-api.md, section 4, POST /chat/bulk-send). */
export interface Recipient {
	phone: string;
	params?: string[];
	headerValue?: string;
	headerMediaId?: string;
	name?: string;
}

/** The values of a row, before they are checked. */
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
	make(recipients: Recipient[]): Chunk;
}

/**
 * Checks every row: phone number, as many parameters as the first recipient, header value or media
 * id but not both. Pure.
 */
export function checkRows<Chunk>(
	count: number,
	rowAt: (index: number) => Row,
	removeDuplicates: boolean,
	{ size, make }: Chunking<Chunk>,
): Checked<Chunk> {
	const checked: Checked<Chunk> = { chunks: [], bad: [], duplicates: 0 };
	let recipients: Recipient[] = [];
	let rows: number[] = [];
	const close = () => {
		if (rows.length > 0) checked.chunks.push({ rows, chunk: make(recipients) });
		recipients = [];
		rows = [];
	};
	const phones = new Set<string>();
	let paramCount: number | undefined;

	for (let index = 0; index < count; index++) {
		const row = rowAt(index);
		const recipient = toRecipient(row, paramCount);
		if (typeof recipient === 'string') {
			checked.bad.push({ row: index + 1, value: shown(row.phone), reason: recipient });
			continue;
		}
		paramCount ??= recipient.params?.length ?? 0;
		if (removeDuplicates) {
			if (phones.has(recipient.phone)) {
				checked.duplicates++;
				continue;
			}
			phones.add(recipient.phone);
		}
		recipients.push(recipient);
		rows.push(index);
		if (rows.length === size) close();
	}
	close();
	return checked;
}

/** The recipient of a row, or what is wrong with it. */
function toRecipient(row: Row, paramCount: number | undefined): Recipient | string {
	const check = checkChatPhone(row.phone);
	if ('problem' in check) return `the phone number ${check.problem}`;

	const { params = [] } = row;
	if (!Array.isArray(params)) return 'params is not an array';
	const missing = params.findIndex((value) => !isScalar(value));
	if (missing !== -1) return `the value of parameter {{${missing + 1}}} is missing or not text`;
	if (paramCount !== undefined && params.length !== paramCount) {
		return `it has ${params.length} parameters, the first recipient has ${paramCount}`;
	}
	const { headerValue, headerMediaId, name } = row;
	if (!isText(headerValue)) return 'headerValue is not text';
	if (!isText(headerMediaId)) return 'headerMediaId is not text';
	if (!isText(name)) return 'name is not text';
	// All keys at once: objects that grow are slower to make and to write.
	const recipient: Recipient = {
		phone: check.phone,
		params: params.length > 0 ? params.map(String) : undefined,
		headerValue: textOf(headerValue),
		headerMediaId: textOf(headerMediaId),
		name: textOf(name),
	};
	if (recipient.headerValue !== undefined && recipient.headerMediaId !== undefined) {
		return 'it has both a header value and a header media ID';
	}
	return recipient;
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
