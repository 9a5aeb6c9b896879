import type { IDataObject } from 'n8n-workflow';
import { lists } from '../../../nodes/MessagingService/api/lists';
import { readNewest } from '../../../nodes/MessagingService/api/newest';
import { readAll } from '../../../nodes/MessagingService/api/readAll';
import type { FakeService } from '../unit/fakeService';

const query = { status: 'a' };

/** The ways in which a whole list is read. */
export const readers: Record<string, (service: FakeService) => Promise<IDataObject[]>> = {
	all: async ({ call }) => await readAll(call, lists.messages, query),
	'the newest': async ({ call }) =>
		await readNewest(call, lists.messages, { query, limit: Infinity, since: 0 }),
	'the oldest': async ({ call }) =>
		await readNewest(call, lists.messages, {
			query,
			limit: Infinity,
			until: Number.MAX_SAFE_INTEGER,
		}),
};

/** Expects what a list had before it was read, its first `count` records, each once. */
export async function expectWhole(
	read: (service: FakeService) => Promise<IDataObject[]>,
	service: FakeService,
	count: number,
) {
	const ids = (await read(service)).map(({ id }) => Number(id));
	expect(new Set(ids).size).toBe(ids.length);
	expect(
		Array.from({ length: count }, (_, index) => index + 1).filter((id) => !ids.includes(id)),
	).toEqual([]);
}
