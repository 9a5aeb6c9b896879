import { sleep } from 'n8n-workflow';
import { lists } from '../../../nodes/MessagingService/api/lists';
import { readAll } from '../../../nodes/MessagingService/api/pages';
import type { ApiRequest } from '../../../nodes/MessagingService/api/request';

/** A service with `total` records, newest first, that also counts what runs at once. */
function service(total: number, { tellsTotal = true, growBy = 0 } = {}) {
	const requests: Array<Record<string, string | number>> = [];
	let running = 0;
	let mostAtOnce = 0;
	let size = total;
	const call = async ({ query = {} }: ApiRequest) => {
		requests.push(query);
		mostAtOnce = Math.max(mostAtOnce, ++running);
		const limit = Number(query.limit ?? query.pageSize);
		const offset = Number(query.offset ?? (Number(query.page) - 1) * limit);
		const ids = Array.from({ length: size }, (_, index) => size - index).slice(
			offset,
			offset + limit,
		);
		await sleep(1);
		running--;
		const response = { data: ids.map((id) => ({ id })), ...(tellsTotal ? { total: size } : {}) };
		size += growBy;
		return response;
	};
	return { call, requests, mostAtOnce: () => mostAtOnce };
}

const selected = (limit: number) => ({ query: { status: 'a' }, limit });

test('reads all pages in order, five at once after the first', async () => {
	const { call, requests, mostAtOnce } = service(1_234);
	const records = await readAll(call, lists.messages, selected(Infinity));
	expect(records.map(({ id }) => id)).toEqual(Array.from({ length: 1_234 }, (_, i) => 1_234 - i));
	expect(requests).toHaveLength(13);
	expect(requests[0]).toEqual({ status: 'a', limit: 100, offset: 0 });
	expect(mostAtOnce()).toBe(5);
});

test.each([
	[50, [50]],
	[100, [100]],
	[150, [100, 100]],
])('a limit of %i reads no more than it needs', async (wanted, sizes) => {
	const { call, requests } = service(1_000);
	expect(await readAll(call, lists.calls, selected(wanted))).toHaveLength(wanted);
	expect(requests.map(({ pageSize }) => pageSize)).toEqual(sizes);
});

test('records that move to later pages while reading are not repeated and none is missed', async () => {
	const { call } = service(300, { growBy: 7 });
	const ids = (await readAll(call, lists.messages, selected(Infinity))).map(({ id }) => Number(id));
	expect(new Set(ids).size).toBe(ids.length);
	for (let id = 1; id <= 300; id++) expect(ids).toContain(id);
});

test('without a total it reads on until a page is not full', async () => {
	const { call, requests } = service(250, { tellsTotal: false });
	expect(await readAll(call, lists.calls, selected(Infinity))).toHaveLength(250);
	expect(requests.map(({ page }) => page)).toEqual([1, 2, 3]);
});

test('an empty list is one request', async () => {
	const { call, requests } = service(0);
	expect(await readAll(call, lists.calls, selected(Infinity))).toEqual([]);
	expect(requests).toHaveLength(1);
});
