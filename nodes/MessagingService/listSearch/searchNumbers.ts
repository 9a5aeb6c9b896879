import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { connect } from '../api/client';
import { withAdvice } from '../api/failure';
import { lists, readPage } from '../api/lists';

/**
 * Lists the connected numbers for the field Sending Number (GET /chat/configs).
 *
 * @param filter what the user has typed: part of a number, quality rating or id
 * @throws NodeApiError with the service's message, never an empty list instead
 */
export async function searchNumbers(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	return { results: await withAdvice(this, async () => await findNumbers(this, filter)) };
}

async function findNumbers(
	context: ILoadOptionsFunctions,
	filter: string,
): Promise<INodeListSearchItems[]> {
	const call = await connect(context);
	const { records } = await readPage(call, lists.numbers);
	const entries = records.filter(({ id }) => shown(id) !== '').map(entryOf);
	return [defaultNumber, ...entries].filter(matching(filter));
}

/** Leads back from a chosen number: an empty value is none (docs/contract.md, section 3.1). */
const defaultNumber: INodeListSearchItems = { name: 'Default Number', value: '' };

/** Whether an entry has what the user has typed; a number may be typed as people write it. */
function matching(filter: string): (entry: INodeListSearchItems) => boolean {
	const text = filter.trim().toLowerCase();
	const wanted = /^[+\d\s().-]+$/.test(text) ? text.replace(/\D/g, '') : text;
	return ({ name, value }) => `${name} ${String(value)}`.toLowerCase().includes(wanted);
}

function entryOf({ id, phoneNumber, qualityRating, isDefault }: IDataObject): INodeListSearchItems {
	const number = shown(phoneNumber) || shown(id);
	const quality = shown(qualityRating) && `quality ${shown(qualityRating)}`;
	const parts = [number, quality, isDefault === true ? 'default' : ''];
	return { name: parts.filter((part) => part !== '').join(' · '), value: shown(id) };
}

/** A text or number as text; anything else is nothing to show. */
const shown = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
