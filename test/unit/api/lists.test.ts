import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest, CallOptions } from '../../../nodes/MessagingService/api/client';
import { Failure, failureOr } from '../../../nodes/MessagingService/api/failure';
import { lists, readPage } from '../../../nodes/MessagingService/api/lists';

describe('a page of a list', () => {
	/** The page that a response is, and what was asked for. */
	async function pageOf(response: IDataObject, list = lists.messages, ...rest: unknown[]) {
		const asked: Array<[ApiRequest, CallOptions | undefined]> = [];
		const call = async (request: ApiRequest, options?: CallOptions) => {
			asked.push([request, options]);
			return await Promise.resolve(response);
		};
		const page = await failureOr(
			readPage(call, list, ...(rest as [ApiRequest['query'], { index: number }])),
		);
		return { page, asked };
	}
	const records = [{ id: 1 }, { id: 2 }];

	test.each<[string, IDataObject]>([
		['under its key', { messages: records, other: [] }],
		['as the only list', { whatever: records, count: 2 }],
		['one level down', { data: { messages: records, other: [] }, meta: { page: 1 } }],
		['two levels down', { a: { b: { whatever: records } }, c: [1].length }],
		['beside what is no record', { messages: [...records, 1, null, 'x', []] }],
	])('has its records %s', async (_name, response) => {
		expect((await pageOf(response)).page).toMatchObject({ records });
	});

	test('has no records where its list is null', async () => {
		expect((await pageOf({ messages: null, total: 0 })).page).toMatchObject({ records: [] });
	});

	test.each<IDataObject>([
		{},
		{ messages: 'none' },
		{ one: records, other: records },
		{ a: { one: records, other: records } },
	])('%j is none', async (response) => {
		const { page } = await pageOf(response);
		expect(page).toBeInstanceOf(Failure);
		expect(page).toMatchObject({
			message: `The service answered without a list of messages: ${JSON.stringify(response)}`,
			description:
				'Check that the base URL of the credential leads to the service. If it does, update this package: the service may have changed.',
			outcome: 'unknown',
			statusCode: 200,
		});
	});

	test.each<[IDataObject, number | undefined]>([
		[{ total: 7 }, 7],
		[{ pagination: { total: 7 }, total: 8 }, 7],
		[{ total: 1.5 }, undefined],
		[{ total: -1 }, undefined],
		[{ total: '7' }, undefined],
		[{}, undefined],
	])('%j tells a total', async (response, total) => {
		const { page } = await pageOf({ messages: [], ...response });
		expect(page).toMatchObject({ records: [], total });
	});

	test.each<[IDataObject, number | undefined]>([
		[{ total: 9, stats: { Sent: 7, Read: 2 } }, 7],
		[{ total: 9, stats: { Sent: 0, Read: 9 } }, 0],
		[{ total: 9, stats: { Read: 2 } }, 9],
		[{ total: 9, stats: null }, 9],
	])('%j tells how many have the status that was asked for', async (response, total) => {
		const query = { status: 'Sent' };
		const { page } = await pageOf({ messages: [], ...response }, lists.messages, query);
		expect(page).toMatchObject({ total });
		const { page: all } = await pageOf({ messages: [], ...response });
		expect(all).toMatchObject({ total: response.total });
	});

	test('tells apart lists that count otherwise', async () => {
		const counted = [{}, { total: 3 }, { pagination: { total: 4 } }, { total: 3, stats: { a: 1 } }];
		const counts = await Promise.all(
			[...counted, { total: 3, stats: { a: 2 } }].map(async (response) => {
				const { page } = await pageOf({ messages: [], ...response });
				return (page as { counts: string }).counts;
			}),
		);
		expect(new Set(counts).size).toBe(5);
	});
});
