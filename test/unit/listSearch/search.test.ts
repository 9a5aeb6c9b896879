import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { listSearch } from '../../../nodes/MessagingService/listSearch/search';

const odd = { toString: 1, valueOf: 1 };

const configs = [{ id: ' c1 ', phoneNumber: odd, qualityRating: [] }, { id: odd }, null, 'c2'];
const webhooks = [{ id: 'w1', url: odd }, { url: 'https://a.example' }];
const messages = [
	{ providerMessageId: 'pm.1', to: '447700900210', status: 'Read', sentAt: 5 },
	{ id: 'r2', to: odd },
];
const data = [{ id: 7, phone: odd, callStatus: 'failed', createdAt: 5 }];

test.each<[keyof typeof listSearch, object, string[]]>([
	['searchNumbers', { configs }, ['Default Number', 'c1']],
	['searchWebhooks', { webhooks }, ['w1']],
	['searchMessages', { messages }, ['447700900210 · Read · 5']],
	['searchCalls', { data }, ['failed · 5']],
])('%s shows what can be chosen, and nothing of what is no text', async (name, body, shown) => {
	const context = {
		getCredentials: async () =>
			await Promise.resolve({
				baseUrl: 'https://host.example',
				apiKey: 'key of the test',
				countryCodes: '',
			}),
		getNode: () => ({ name: 'Node', type: 'node', parameters: {} }),
		helpers: {
			httpRequestWithAuthentication: async () =>
				await Promise.resolve({ statusCode: 200, headers: {}, body }),
		},
	} as unknown as ILoadOptionsFunctions;
	const { results } = await listSearch[name].call(context);
	expect(results.map((entry) => entry.name)).toEqual(shown);
	expect(results.map(({ value }) => value)).not.toContain('[object Object]');
});
