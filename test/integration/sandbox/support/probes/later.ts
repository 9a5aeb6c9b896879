import type { AssumptionName } from '../../../../../sandbox';
import { call, phone, template, type Bench, type Probe } from './probe';

const all = ['message.sent', 'message.delivered', 'message.read', 'message.failed'];

async function register({ fixture, receiver }: Bench, events = ['message.sent']): Promise<void> {
	await fixture.api.post('/chat/webhooks', { url: receiver.url, events });
}

/** Lets time pass until everything that was to come has come. */
async function finish({ fixture: { control } }: Bench, ms = 10_000): Promise<void> {
	await control.settle();
	await control.advance(ms);
	await control.settle();
}

/** The events that a message to a number emits. */
async function eventsOf(bench: Bench, to: string): Promise<string> {
	bench.receiver.clear();
	await bench.fixture.api.post('/chat/send-template', { ...template, phone: to });
	for (let step = 0; step < 3; step++) await finish(bench, 400);
	return bench.receiver.events.map(({ event }) => event.replace('message.', '')).join();
}

/** How often a delivery was tried when the receiver gave these responses. */
async function tries(bench: Bench, responses: Array<number | null>, ms?: number): Promise<number> {
	bench.receiver.clear();
	bench.receiver.statuses = responses;
	await bench.fixture.api.post('/chat/send-template', template);
	await finish(bench, ms);
	return bench.receiver.received.length;
}

/** What happens after a request, and how it is delivered. */
export const laterProbes = {
	messageSteps: {
		look: async (bench) => {
			await register(bench, all);
			return [await eventsOf(bench, phone), await eventsOf(bench, '919812340000')];
		},
		shows: [
			['sent,delivered,read', 'sent,failed'],
			['sent,read', 'sent,failed'],
			['sent,delivered,read', 'sent,delivered,failed'],
		],
	},
	callSteps: {
		look: async ({ fixture: { api, control } }) => {
			await api.post('/voice/call', call);
			await api.post('/voice/call', { ...call, to: '+919812340001' });
			const seen: string[] = [];
			for (const ms of [250, 250, 1_000]) {
				await control.advance(ms);
				seen.push((await control.calls()).map(({ callStatus }) => callStatus).join());
			}
			return seen;
		},
		shows: [
			['in-progress,in-progress', 'answered,no-answer', 'success,no-answer'],
			['initiated,initiated', 'success,no-answer', 'success,no-answer'],
			['in-progress,in-progress', 'answered,no-answer', 'answered,no-answer'],
		],
	},
	signature: {
		look: async (bench) => {
			await register(bench);
			await tries(bench, [200]);
			return bench.receiver.received[0]?.headers['x-webhook-signature'];
		},
		shows: [
			expect.stringMatching(/^[0-9a-f]{64}$/),
			expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
			expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
			expect.stringMatching(/^sha256=[A-Za-z0-9+/]{43}=$/),
		],
	},
	eventTemplate: {
		look: async (bench) => {
			await register(bench);
			await bench.fixture.api.post('/chat/send', { phone, message: 'Hello' });
			await finish(bench);
			return bench.receiver.events[0]?.data.templateName;
		},
		shows: ['', undefined, null],
	},
	deliveredBy: {
		look: async (bench) => {
			await bench.fixture.control.setAssumptions({ deliveryAttempts: 2 });
			await register(bench);
			return [await tries(bench, [202]), await tries(bench, [500]), await tries(bench, [200])];
		},
		shows: [
			[1, 2, 1],
			[2, 2, 1],
			[1, 1, 1],
		],
	},
	deliveryAttempts: {
		look: async (bench) => {
			await register(bench);
			await tries(bench, [500, 500, 500, 500]);
			await finish(bench);
			return bench.receiver.received.length;
		},
		shows: [1, 3],
	},
	deliveryBackoffMs: {
		look: async (bench) => {
			await bench.fixture.control.setAssumptions({ deliveryAttempts: 2 });
			await register(bench);
			return await tries(bench, [500], 50);
		},
		shows: [1, 2],
	},
	deliveryTimeoutMs: {
		look: async (bench) => {
			await register(bench);
			bench.receiver.delayMs = 3_000;
			await bench.fixture.api.post('/chat/send-template', template);
			await bench.fixture.control.settle();
			return (await bench.fixture.control.journal({ kind: 'delivery' }))[0]?.error;
		},
		shows: [null, 'ECONNABORTED'],
	},
} satisfies Partial<Record<AssumptionName, Probe>>;
