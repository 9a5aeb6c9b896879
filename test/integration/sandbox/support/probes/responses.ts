import type { AssumptionName } from '../../../../../sandbox';
import { call, phone, template, type Bench, type Probe } from './probe';

async function register({ fixture }: Bench): Promise<{ id: string; url: string }> {
	const { data } = await fixture.api.post('/chat/webhooks', { url: 'https://receiver.example/x' });
	return data.webhook;
}

const webhookFields = ['id', 'url', 'events', 'isActive', 'createdAt'];
const sent = ['success', 'message', 'providerMessageId', 'cost', 'remainingBalance'];

/** How responses are written. */
export const responseProbes = {
	balance: {
		look: async ({ fixture }) => Object.keys((await fixture.api.get('/balance')).data),
		shows: [
			['success', 'user'],
			['success', 'voiceMins', 'chatBalance', 'emailBalance', 'leadBalance'],
		],
	},
	furtherFields: {
		look: async ({ fixture: { api } }) => {
			const { data } = await api.get('/chat/configs');
			const failed = (await api.post('/chat/send', {})).data;
			return [data, data.configs[0], failed].map(({ addedLater }) => addedLater);
		},
		shows: [
			[undefined, undefined, undefined],
			[1, 1, undefined],
		],
	},
	timestamps: {
		look: async ({ fixture }) => {
			await fixture.control.addMessages(1, { sentAt: '2025-01-01T00:00:00.123Z' });
			await fixture.control.addCalls(1, { createdAt: '2025-01-01T00:00:00.123Z' });
			const [message] = (await fixture.api.get('/chat/campaigns')).data.messages;
			const [entry] = (await fixture.api.get('/voice/call-logs')).data.data;
			expect(entry.createdAt).toBe(message.sentAt);
			const { user } = (await fixture.api.get('/balance')).data;
			return [user.createdAt, message.sentAt];
		},
		shows: [
			['2024-01-15T09:00:00.000Z', '2025-01-01T00:00:00.123Z'],
			['2024-01-15T09:00:00Z', '2025-01-01T00:00:00Z'],
			['2024-01-15T14:30:00.000+05:30', '2025-01-01T05:30:00.123+05:30'],
		],
	},
	chatNumbers: {
		look: async ({ fixture: { api } }) => {
			await api.post('/chat/send-template', template);
			const [{ to }] = (await api.get('/chat/campaigns')).data.messages;
			const [{ phoneNumber }] = (await api.get('/chat/configs')).data.configs;
			return [to, phoneNumber];
		},
		shows: [
			[phone, '14155550100'],
			[`+${phone}`, '+14155550100'],
		],
	},
	voiceNumbers: {
		look: async ({ fixture }) => {
			const { from, to } = (await fixture.api.post('/voice/call', call)).data;
			const [entry] = (await fixture.api.get('/voice/call-logs')).data.data;
			return [from, to, entry.phone, entry.campaignName];
		},
		shows: [
			['+918040001234', '+919812345678', '+919812345678', '+919812345678'],
			['918040001234', '919812345678', '919812345678', '919812345678'],
		],
	},
	qualityRating: {
		look: async ({ fixture }) =>
			(await fixture.api.get('/chat/configs')).data.configs[0].qualityRating,
		shows: ['GREEN', 'YELLOW', 'UNKNOWN'],
	},
	mediaResponse: {
		look: async ({ fixture }) => {
			const body = { phone, type: 'image', mediaUrl: 'https://files.example/a.png' };
			return Object.keys((await fixture.api.post('/chat/send-media', body)).data);
		},
		shows: [sent, ['success'], ['providerMessageId']],
	},
	webhookList: {
		look: async (bench) => {
			await register(bench);
			const { data } = await bench.fixture.api.get('/chat/webhooks');
			return Array.isArray(data) ? 'array' : Object.keys(data);
		},
		shows: [['webhooks'], 'array', ['success', 'data']],
	},
	webhookFields: {
		look: async (bench) => {
			await register(bench);
			return Object.keys((await bench.fixture.api.get('/chat/webhooks')).data.webhooks[0]);
		},
		shows: [webhookFields, ['id', 'url', 'events']],
	},
	webhookDelete: {
		look: async (bench) => {
			const { id } = await register(bench);
			return (await bench.fixture.api.delete(`/chat/webhooks?id=${id}`)).data;
		},
		shows: [{ success: true, message: 'Webhook deleted' }, ''],
	},
	screenshot: {
		look: async ({ fixture }) => {
			await fixture.control.setChatSession(false);
			const { data } = await fixture.api.post('/chat/send', { phone, message: 'Hello' });
			return typeof data.screenshot === 'string' ? data.screenshot.slice(0, 5) : data.screenshot;
		},
		shows: ['iVBOR', 'https', null, { data: expect.any(String), mimeType: 'image/png' }],
	},
	errorTexts: {
		look: async ({ fixture: { api, control } }) => {
			await control.setAccount({ emailBalance: 0 });
			const email = { to: 'ann@mail.example', subject: 'x', text: 'x' };
			const responses = [
				await api.post('/chat/send', {}),
				await api.post('/email/send', email),
				await api.get('/nothing'),
				await api.post('/email/send', {}),
			];
			return responses.map(({ data }) => data.error);
		},
		shows: [
			[
				'Missing required field: phone',
				'Insufficient email balance',
				'Not found: GET /api/v1/nothing',
				'to, subject and either html or text are required',
			],
			[
				'Bad request',
				'Payment required',
				'Not found',
				'to, subject and either html or text are required',
			],
		],
	},
	remainingBalance: {
		look: async ({ fixture }) => {
			await fixture.control.setAccount({ chatBalance: 10, balance: 700 });
			return (await fixture.api.post('/chat/send-template', template)).data.remainingBalance;
		},
		shows: [9, 700],
	},
	callLabels: {
		look: async ({ fixture }) => {
			await fixture.control.addCalls(1, { callStatus: 'no-answer' });
			await fixture.control.addCalls(1, { callStatus: 'answered' });
			return (await fixture.control.calls()).map(({ status }) => status);
		},
		shows: [
			['Failed', 'Started'],
			['Not Answered', 'Answered'],
		],
	},
	callLogId: {
		look: async ({ fixture }) => {
			const { callId } = (await fixture.api.post('/voice/call', call)).data;
			const [entry] = (await fixture.api.get('/voice/call-logs')).data.data;
			return [entry.id === callId, entry.callId === callId];
		},
		shows: [
			[true, false],
			[false, false],
			[false, true],
		],
	},
	callLogTotal: {
		look: async ({ fixture }) => {
			await fixture.control.addCalls(12);
			const { data, ...rest } = (await fixture.api.get('/voice/call-logs')).data;
			expect(data).toHaveLength(10);
			return rest;
		},
		shows: [
			{ success: true, pagination: { page: 1, pageSize: 10, total: 12, totalPages: 2 } },
			{ success: true, page: 1, pageSize: 10, total: 12, totalPages: 2 },
		],
	},
} satisfies Partial<Record<AssumptionName, Probe>>;
