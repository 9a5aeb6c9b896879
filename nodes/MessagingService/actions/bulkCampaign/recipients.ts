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

export interface CheckedRows {
	recipients: Recipient[];
	/** For each recipient the index of its row. */
	rows: number[];
	bad: BadRow[];
	duplicates: number;
}

/**
 * Checks every row: phone number, as many parameters as the first recipient, header value or media
 * id but not both. Pure.
 */
export function checkRows(
	count: number,
	rowAt: (index: number) => Row,
	removeDuplicates: boolean,
): CheckedRows {
	const checked: CheckedRows = { recipients: [], rows: [], bad: [], duplicates: 0 };
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
		checked.recipients.push(recipient);
		checked.rows.push(index);
	}
	return checked;
}

const optionalKeys = ['headerValue', 'headerMediaId', 'name'] as const;

/** The recipient of a row, or what is wrong with it. */
function toRecipient(row: Row, paramCount: number | undefined): Recipient | string {
	const check = checkChatPhone(row.phone);
	if ('problem' in check) return `the phone number ${check.problem}`;
	const recipient: Recipient = { phone: check.phone };

	const { params = [] } = row;
	if (!Array.isArray(params)) return 'params is not an array';
	if (params.length > 0) {
		const missing = params.findIndex((value) => !isScalar(value));
		if (missing !== -1) return `the value of parameter {{${missing + 1}}} is missing or not text`;
		recipient.params = params.every((value) => typeof value === 'string')
			? params
			: params.map(String);
	}
	if (paramCount !== undefined && params.length !== paramCount) {
		return `it has ${params.length} parameters, the first recipient has ${paramCount}`;
	}
	for (const key of optionalKeys) {
		const value = row[key];
		if (value === undefined || value === null || value === '') continue;
		if (!isScalar(value)) return `${key} is not text`;
		recipient[key] = String(value);
	}
	if (recipient.headerValue !== undefined && recipient.headerMediaId !== undefined) {
		return 'it has both a header value and a header media ID';
	}
	return recipient;
}

function isScalar(value: unknown): boolean {
	const type = typeof value;
	return type === 'string' || type === 'number' || type === 'boolean';
}

function shown(value: unknown): string {
	const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
	return text.slice(0, 40);
}
