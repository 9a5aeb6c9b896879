import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { connect } from '../api/client';
import { explained } from '../api/explained';
import { recordsOf } from '../api/records';

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
	return { results: await explained(this, async () => await findNumbers(this, filter)) };
}

async function findNumbers(
	context: ILoadOptionsFunctions,
	filter: string,
): Promise<INodeListSearchItems[]> {
	const call = await connect(context);
	const answer = await call({ method: 'GET', path: '/chat/configs' });
	const wanted = filter.trim().replace(/^\+/, '').toLowerCase();
	return recordsOf(answer, 'configs')
		.map(({ id, phoneNumber, qualityRating, isDefault }) => ({
			name: [phoneNumber ?? id, qualityRating, isDefault === true ? 'default' : undefined]
				.filter((part) => part !== undefined && part !== '')
				.join(' · '),
			value: String(id),
		}))
		.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
}
