import type { IDataObject } from 'n8n-workflow';
import { Failure, failureOr } from '../../../nodes/MessagingService/api/failure';
import { lists, readPage } from '../../../nodes/MessagingService/api/lists';

describe('a page of a list', () => {
	const pageOf = async (response: IDataObject) =>
		await failureOr(readPage(async () => await Promise.resolve(response), lists.messages));
	const records = [{ id: 1 }, { id: 2 }];

	test.each<[string, IDataObject, IDataObject[]?]>([
		['where its list is null', { messages: null, total: 0 }, []],
		['where any list is null', { success: true, data: null, error: null }, []],
		['beside an empty list', { data: records, tags: [], more: { note: 'new' } }],
		['beside a list of what has no ID', { data: records, links: [{ rel: 'next' }] }],
		['under its key', { messages: records, other: [] }],
		['as the only list', { whatever: records, count: 2 }],
		['one level down', { data: { messages: records, other: [] }, meta: { page: 1 } }],
		['beside what is no record', { messages: [...records, 1, null, 'x', []] }],
	])('has its records %s', async (_name, response, expected = records) => {
		expect(await pageOf(response)).toMatchObject({ records: expected });
	});

	test.each<IDataObject>([
		{},
		{ messages: 'none' },
		{ a: null, b: null },
		{ one: records, other: records },
		{ a: { one: records, other: records } },
	])('%j is none', async (response) => {
		const page = await pageOf(response);
		expect(page).toBeInstanceOf(Failure);
		const shape = JSON.stringify(response).replace(/:(\d|null|"none")/g, ':"…"');
		expect(page).toMatchObject({
			message: `The response has no usable list of messages: ${shape}`,
			description:
				'Check that the base URL of the credential leads to the service. If it does, update this package: the service may have changed.',
			outcome: 'unknown',
			statusCode: 200,
		});
	});

	test('distinguishes lists with different counts', async () => {
		const counted = [{}, { total: 3 }, { pagination: { total: 4 } }, { total: 3, stats: { a: 1 } }];
		const pages = [...counted, { total: 3, stats: { a: 2 } }].map(
			async (response) => await pageOf({ messages: [], ...response }),
		);
		const counts = (await Promise.all(pages)).map((page) => 'counts' in page && page.counts);
		expect(new Set(counts).size).toBe(5);
	});
});
