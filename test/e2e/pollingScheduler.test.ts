import { randomUUID } from 'node:crypto';
import {
	chain,
	messagingServicePollingTrigger,
	noOp,
	startN8n,
	waitFor,
	type N8n,
} from '../../harness';
import { startTrickling, type TricklingService } from '../support/trickling';

/** n8n polls at most once a minute. */
const patience = 300_000;

let n8n: N8n;
let service: TricklingService;

// n8n's scheduler makes a new context for each poll and gives it a time of its own. Without it a
// poll has five minutes, which is too long to wait for here.
beforeAll(async () => {
	const env = {
		N8N_SCHEDULER_ENABLED: 'true',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
		N8N_SCHEDULER_POLL_TIMEOUT: '20',
	};
	[service, n8n] = await Promise.all([startTrickling({ chatBalance: 500 }), startN8n({ env })]);
});

afterAll(async () => {
	await n8n.stop();
	service.close();
});

test(
	'a poll whose response trickles fails in time, and a later one finds what has happened',
	async () => {
		const credential = await n8n.createCredential(`Trickling ${randomUUID()}`, {
			baseUrl: service.baseUrl,
			apiKey: 'key',
		});
		const parameters = { watch: 'balance', resources: ['chatBalance'] };
		const trigger = messagingServicePollingTrigger(parameters, credential);
		const id = await n8n.createWorkflow(chain('Trickling', [trigger, noOp('Then')]));
		await n8n.publish(id);
		Object.assign(service, { trickles: true, account: { chatBalance: 50 } });
		const [failed] = await n8n.waitForExecutions(id, 1, patience);
		expect(failed?.error?.message).toContain('A poll was given up after');

		service.trickles = false;
		const next = await waitFor(
			'a poll that works again',
			async () => (await n8n.executions(id)).find(({ status }) => status === 'success'),
			patience,
		);
		expect(next.json('Then')).toMatchObject([{ event: 'balance.low', value: 50 }]);
		expect((await n8n.executions(id)).filter(({ status }) => status === 'success')).toHaveLength(1);
	},
	2 * patience,
);
