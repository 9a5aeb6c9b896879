import fc from 'fast-check';
import { NodeApiError, type ILoadOptionsFunctions } from 'n8n-workflow';
import { listSearch } from '../../nodes/MessagingService/listSearch/search';
import { oddText, oddValue } from '../support/fuzz/oddValues';
import { numRuns, patience, seed } from '../support/fuzz/runs';
import { unclear } from '../support/fuzz/verdicts';

/** As much of n8n's context as opening a list takes, with the service's answer in it. */
const contextOf = (body: unknown) =>
	({
		getCredentials: async () =>
			await Promise.resolve({ baseUrl: 'https://host.example', apiKey: 'key of the test' }),
		getNode: () => ({ name: 'Node', type: 'node', parameters: {} }),
		helpers: {
			httpRequestWithAuthentication: async () =>
				await Promise.resolve({ statusCode: 200, headers: {}, body }),
		},
	}) as unknown as ILoadOptionsFunctions;

const record = fc.record(
	{
		id: fc.oneof(fc.uuid(), oddValue),
		phoneNumber: fc.oneof(fc.constant('447700900210'), oddValue),
		qualityRating: oddValue,
		isDefault: oddValue,
		url: oddValue,
		isActive: oddValue,
		phone: oddValue,
		callStatus: oddValue,
		createdAt: oddValue,
	},
	{ requiredKeys: [], noNullPrototype: true },
);
const answer = fc.oneof(
	{
		weight: 3,
		arbitrary: fc
			.constantFrom('configs', 'webhooks', 'data')
			.chain((key) => fc.record({ [key]: fc.array(fc.oneof(record, oddValue)) })),
	},
	fc.dictionary(oddText, oddValue, { noNullPrototype: true }),
	// A text that is no JSON is shown in the message.
	oddValue.filter((body) => typeof body !== 'string'),
);

test('shows what can be chosen, and nothing of what is no text', async () => {
	const configs = [{ id: ' c1 ', phoneNumber: { toString: 1 } }, { phoneNumber: '1' }, { id: {} }];
	const { results } = await listSearch.searchNumbers.call(contextOf({ configs }));
	expect(results).toEqual([
		{ name: 'Default Number', value: '' },
		{ name: 'c1', value: 'c1' },
	]);
});

test.each(Object.entries(listSearch))(
	'%s gives of every odd answer and filter entries that can be chosen or a clear message',
	async (_, search) => {
		await fc.assert(
			fc.asyncProperty(answer, fc.oneof(fc.constant(''), oddText), async (body, filter) => {
				const context = contextOf(body);
				const result = await search.call(context, filter).catch((error: unknown) => error);
				if (result instanceof Error) {
					expect(result).toBeInstanceOf(NodeApiError);
					// What came instead of a list is shown after the package's own words.
					expect(unclear(result.message.split(/: [[{]/)[0])).toBeUndefined();
					return;
				}
				const { results } = result as Awaited<ReturnType<typeof search>>;
				for (const { name, value } of results) {
					expect(name).toMatch(/[^]/);
					expect(value !== '' || name === 'Default Number').toBe(true);
					expect(`${name}${String(value)}`).not.toContain('[object');
				}
			}),
			{ seed, numRuns },
		);
	},
	patience,
);
