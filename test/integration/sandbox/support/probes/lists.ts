import type { AssumptionName } from '../../../../../sandbox';
import { phone, statuses, type Bench, type Probe } from './probe';

async function callPhones({ fixture }: Bench, query: string): Promise<string[] | number> {
	const { status, data } = await fixture.api.get(`/voice/call-logs?${query}`);
	return status === 200 ? data.data.map((one: { phone: string }) => one.phone) : status;
}

const idsOf = (records: Array<{ id: string }>): string[] => records.map(({ id }) => id);

/** What order ids are in that were added in another. */
function orderOf(ids: string[], added: string[]): string {
	const orders = {
		added,
		reversed: [...added].reverse(),
		sorted: [...added].sort(),
	};
	const found = Object.entries(orders).find(([, order]) => order.join() === ids.join());
	return found?.[0] ?? 'none';
}

/** Two messages were read and one is sent. */
async function withStatus({ fixture }: Bench) {
	await fixture.control.addMessages(2, { status: 'Read' });
	await fixture.control.addMessages(1);
	return (await fixture.api.get('/chat/campaigns?status=Read')).data;
}

/** What lists show. */
export const listProbes = {
	listOrder: {
		look: async ({ fixture: { api, control } }) => {
			const messages = await control.addMessages(20);
			const calls = await control.addCalls(20);
			const listed = (await api.get('/chat/campaigns')).data.messages;
			const logged = (await api.get('/voice/call-logs?pageSize=20')).data.data;
			return [orderOf(idsOf(listed), messages), orderOf(idsOf(logged), calls)];
		},
		// A call-log entry is sorted by its own id, which is not shown here.
		shows: [
			['reversed', 'reversed'],
			['added', 'added'],
			['sorted', 'none'],
		],
	},
	shortListOrder: {
		look: async ({ fixture: { api } }) => {
			const added: string[] = [];
			for (let index = 0; index < 20; index++) {
				const body = { url: `https://receiver.example/${index}` };
				added.push((await api.post('/chat/webhooks', body)).data.webhook.id);
			}
			return orderOf(idsOf((await api.get('/chat/webhooks')).data.webhooks), added);
		},
		shows: ['added', 'reversed', 'sorted'],
	},
	overLimit: {
		look: ({ fixture: { api } }) =>
			statuses(
				() => api.get('/chat/campaigns?limit=101'),
				() => api.get('/voice/call-logs?pageSize=101'),
				() => api.get('/voice/call-logs?pageSize=100'),
			),
		shows: [
			[200, 200, 200],
			[400, 400, 200],
		],
	},
	totalWithStatus: { look: async (bench) => (await withStatus(bench)).total, shows: [2, 3] },
	statsWithStatus: {
		look: async (bench) => (await withStatus(bench)).stats,
		shows: [
			{ Sent: 1, Delivered: 0, Read: 2, Failed: 0 },
			{ Sent: 0, Delivered: 0, Read: 2, Failed: 0 },
		],
	},
	search: {
		look: async (bench) => {
			await bench.fixture.control.addCalls(1, { to: '919811112222' });
			const found: number[] = [];
			for (const digits of ['1111', '9198', '919811112222', '3']) {
				found.push(((await callPhones(bench, `search=${digits}`)) as string[]).length);
			}
			return found;
		},
		shows: [
			[1, 1, 1, 0],
			[0, 1, 1, 0],
			[0, 0, 1, 0],
		],
	},
	dayZone: {
		look: async (bench) => {
			const { control } = bench.fixture;
			await control.addCalls(1, { to: '911', createdAt: '2025-02-28T20:00:00Z' });
			await control.addCalls(1, { to: '912', createdAt: '2025-03-01T20:00:00Z' });
			await control.addCalls(1, { to: '913', createdAt: '2025-03-02T03:00:00Z' });
			return await callPhones(bench, 'from=2025-03-01&to=2025-03-01');
		},
		shows: [['+912'], ['+911'], ['+913', '+912']],
	},
	dateWithTime: {
		look: async (bench) => {
			const { control } = bench.fixture;
			await control.addCalls(1, { to: '911', createdAt: '2025-03-01T10:00:00Z' });
			await control.addCalls(1, { to: '912', createdAt: '2025-03-01T13:00:00Z' });
			return await callPhones(bench, 'from=2025-03-01T12:00:00Z');
		},
		shows: [['+912'], ['+912', '+911'], 400],
	},
	recordDelayMs: {
		look: async ({ fixture: { api, control } }) => {
			await api.post('/chat/send', { phone, message: 'Hello' });
			await api.post('/voice/call', { to: '+919812345678', audioName: 'Hello' });
			const seen: number[] = [];
			for (const ms of [0, 299, 1]) {
				await control.advance(ms);
				seen.push((await api.get('/chat/campaigns')).data.total);
				seen.push((await api.get('/voice/call-logs')).data.data.length);
			}
			return seen;
		},
		shows: [
			[1, 1, 1, 1, 1, 1],
			[0, 0, 0, 0, 1, 1],
		],
	},
	chatSendRecords: {
		look: async ({ fixture: { api } }) => {
			await api.post('/chat/send', { phone, message: 'Hello' });
			const { messages } = (await api.get('/chat/campaigns')).data;
			return messages.map((one: { providerMessageId: string }) => one.providerMessageId !== '');
		},
		shows: [[true], [false], []],
	},
} satisfies Partial<Record<AssumptionName, Probe>>;
