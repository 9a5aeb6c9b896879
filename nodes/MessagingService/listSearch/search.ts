import type {
	ILoadOptionsFunctions,
	INodeListSearchItems as Entry,
	INodeListSearchResult,
} from 'n8n-workflow';
import { connect, type Call } from '../api/client';
import { withAdvice } from '../api/failure';
import { lists, readPage } from '../api/lists';
import { readNewest } from '../api/newest';
import { textOf } from '../api/response';

/** Resets the choice: an empty value means the default number (docs/contract.md, section 3.1). */
const defaultNumber: Entry = { name: 'Default Number', value: '' };

/**
 * The searches of resource locators. Each returns the entries that match the typed text. If the request fails,
 * the search throws NodeApiError with the service's message, so that the list does not just look empty.
 */
export const listSearch = {
	searchNumbers: searchOf(async (call) => {
		const { records } = await readPage(call, lists.numbers);
		return records.map(({ id, phoneNumber, qualityRating, isDefault }) => {
			const quality = textOf(qualityRating) && `quality ${textOf(qualityRating)}`;
			return entryOf(id, [
				textOf(phoneNumber) || textOf(id),
				quality,
				isDefault === true && 'default',
			]);
		});
	}, defaultNumber),

	searchWebhooks: searchOf(async (call) => {
		const { records } = await readPage(call, lists.webhooks);
		return records.map(({ id, url, isActive }) =>
			entryOf(id, [textOf(url) || textOf(id), isActive === false && 'inactive']),
		);
	}),

	/** GET /voice/call-logs. Which field has the ID of a placed call is not documented (docs/service.md, section 10.24). */
	searchCalls: searchOf(async (call) => {
		// Users can choose older calls by ID.
		const records = await readNewest(call, lists.calls, { limit: 100 });
		return records.map(({ callId, id, phone, callStatus, createdAt }) =>
			entryOf(callId ?? id, [phone, callStatus, createdAt].map(textOf)),
		);
	}),

	/** GET /chat/campaigns (docs/service.md, section 4.9). */
	searchMessages: searchOf(async (call) => {
		// Users can choose older messages by ID.
		const records = await readNewest(call, lists.messages, { limit: 100 });
		return records.map(({ providerMessageId, to, status, sentAt }) =>
			entryOf(providerMessageId, [to, status, sentAt].map(textOf)),
		);
	}),
};

function searchOf(read: (call: Call) => Promise<Entry[]>, ...first: Entry[]) {
	return async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		return await withAdvice(this, async () => {
			const entries = (await read(await connect(this))).filter(({ value }) => value !== '');
			return { results: [...first, ...entries].filter(matching(filter)) };
		});
	};
}

const entryOf = (id: unknown, parts: Array<string | false>): Entry => ({
	name: parts.filter(Boolean).join(' · ') || textOf(id),
	value: textOf(id),
});

/** Whether an entry contains the typed text. A typed phone number may have any formatting. */
function matching(filter: string): (entry: Entry) => boolean {
	const text = filter.trim().toLowerCase();
	const wanted = /^[+\d\s().-]+$/.test(text) ? text.replace(/\D/g, '') : text;
	return ({ name, value }) => `${name} ${String(value)}`.toLowerCase().includes(wanted);
}
