import type { AssumptionName } from '../../../../../sandbox';
import { call, template, type Bench, type Probe } from './probe';

/** Sends a message of which a webhook hears. */
async function deliver({ fixture: { api, control }, receiver }: Bench): Promise<void> {
	await api.post('/chat/webhooks', { url: receiver.url });
	await api.post('/chat/send-template', template);
	await control.settle();
}

/** What happens after a request, and how it is delivered. */
export const laterProbes = {
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
			await deliver(bench);
			return bench.receiver.received[0]?.headers['x-webhook-signature'];
		},
		shows: [
			expect.stringMatching(/^[0-9a-f]{64}$/),
			expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
			expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
			expect.stringMatching(/^sha256=[A-Za-z0-9+/]{43}=$/),
		],
	},
	deliveryTimeoutMs: {
		look: async (bench) => {
			bench.receiver.delayMs = 1_000;
			await deliver(bench);
			return (await bench.fixture.control.journal({ kind: 'delivery' }))[0]?.error;
		},
		shows: [null, 'ECONNABORTED'],
	},
} satisfies Partial<Record<AssumptionName, Probe>>;
