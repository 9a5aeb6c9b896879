import {
	attachN8n,
	chain,
	messagingServicePollingTrigger,
	noOp,
	waitFor,
	type CredentialRef,
} from '../../harness';
import { startSandbox, type Sandbox } from '../../sandbox';

const n8n = attachN8n();

/** n8n polls at most once a minute. */
const threePolls = 190_000;

const trigger = 'Messaging Service Polling Trigger';
const kinds = {
	calls: { watch: 'voiceCalls', callEvents: ['started'] },
	messages: { watch: 'messages', statuses: ['Sent'] },
};
const orders = ['newestFirst', 'oldestFirst', 'byId'] as const;
type Order = (typeof orders)[number];

const sandboxes = {} as Record<Order, Sandbox>;
const published = {} as Record<Order, { calls: string; messages: string }>;

async function publish(kind: keyof typeof kinds, credential: CredentialRef): Promise<string> {
	const poll = messagingServicePollingTrigger(kinds[kind], credential);
	const id = await n8n.createWorkflow(chain(`Polled ${kind}`, [poll, noOp('Then')]));
	await n8n.publish(id);
	return id;
}

// All workflows wait for their polls together.
beforeAll(async () => {
	for (const listOrder of orders) {
		const sandbox = await startSandbox({
			lifecycle: { enabled: false },
			assumptions: { listOrder },
		});
		const { control, baseUrl, keys } = sandbox;
		sandboxes[listOrder] = sandbox;
		await control.addCalls(150);
		await control.addMessages(150);
		const credential = await n8n.createCredential(`Polled lists ${listOrder}`, {
			baseUrl,
			apiKey: keys.production,
		});
		published[listOrder] = {
			calls: await publish('calls', credential),
			messages: await publish('messages', credential),
		};
		await control.addCalls(120);
		await control.addMessages(120);
		const growth = { kind: 'grow', count: 2 } as const;
		await control.addFault({ ...growth, path: '/voice/call-logs', calls: { n: 40 } });
		await control.addFault({ ...growth, path: '/chat/campaigns', messages: { n: 40 } });
	}
});

afterAll(async () => {
	for (const { calls, messages } of Object.values(published)) {
		await n8n.unpublish(calls);
		await n8n.unpublish(messages);
	}
	await Promise.all(Object.values(sandboxes).map(async (sandbox) => await sandbox.close()));
});

describe.each(orders)(
	'a list that the service shows %s and that grows while it is polled',
	(order) => {
		test.each(['calls', 'messages'] as const)(
			'every new one of the %s is emitted once, and nothing old',
			async (kind) => {
				const emitted = async () =>
					(await n8n.executions(published[order][kind])).flatMap((execution) =>
						execution.json(trigger).map(({ id }) => String(id)),
					);
				const expected = 120 + 2 * 40;
				const ids = await waitFor(
					`${expected} records`,
					async () => {
						const found = await emitted();
						return found.length >= expected ? found : undefined;
					},
					threePolls,
				);
				const records = await sandboxes[order].control[kind]();
				const born = [...records].sort((a, b) => timeOf(a) - timeOf(b)).slice(150);
				expect([...ids].sort()).toEqual(born.map(({ id }) => id).sort());
			},
		);
	},
);

/** When a record came into being. */
const timeOf = (record: { sentAt: string } | { createdAt: string }): number =>
	Date.parse('sentAt' in record ? record.sentAt : record.createdAt);
