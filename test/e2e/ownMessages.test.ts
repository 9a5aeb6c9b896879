import type { INode } from 'n8n-workflow';
import {
	attachN8n,
	chain,
	code,
	connect,
	joined,
	messagingService,
	messagingServiceTrigger,
	waitFor,
	type CredentialRef,
	type WorkflowJson,
} from '../../harness';
import { startSandbox, type Sandbox } from '../../sandbox';
import { askService } from '../support/e2e/sandbox';
import { template } from '../support/reliability/stage';
import { webhookCall } from '../support/webhookCall';

const n8n = attachN8n();
let sandbox: Sandbox;
let credential: CredentialRef;
beforeAll(async () => {
	// Each message is delivered a while after the response to its send, and not read.
	const lifecycle = { deliveredAfterMs: 1_000, messageOutcome: 'Delivered' } as const;
	sandbox = await startSandbox({ lifecycle });
	credential = await n8n.createAccount(sandbox);
});
afterAll(async () => await sandbox.close());

const published: string[] = [];
beforeEach(async () => await sandbox.control.reset());
afterEach(async () => {
	for (const id of published.splice(0)) await n8n.unpublish(id);
});

const phone = '447700900210';
const delivered = (name = 'Delivered') =>
	messagingServiceTrigger({ events: ['message.delivered'] }, credential, { name });
const sending = () => messagingService({ ...template, phone }, credential, { name: 'Send' });

async function publish(workflow: WorkflowJson): Promise<string> {
	const id = await n8n.createPublished(workflow);
	published.push(id);
	return id;
}

/** Another program of the account sends a message. */
const sendElsewhere = async () =>
	await askService(sandbox, '/chat/send-template', { phone, templateName: 'order_update' });

/** Waits for so many messages, and for the responses to all their events, which may start executions. */
async function messagesAfter(count: number): Promise<number> {
	await waitFor(
		`${count} messages`,
		async () => (await sandbox.control.messages()).length >= count,
	);
	await sandbox.control.settle();
	return (await sandbox.control.messages()).length;
}

/** Waits for the end of a workflow's executions; n8n starts one before it responds to its event. */
async function executionsOf(id: string) {
	await waitFor('the last execution', async () => {
		const open = ['new', 'running'] as const;
		const counts = await Promise.all(open.map(async (one) => await n8n.countExecutions(id, one)));
		return counts.every((one) => one === 0);
	});
	return await n8n.executions(id);
}

test('thanks for a delivery end after one message, even if a retry sends it; another workflow sees both', async () => {
	const thanks = await publish(chain('Thanks', [delivered(), sending()]));
	const other = await publish(chain('Other', [delivered(), code('return [];')]));
	const fault = { kind: 'status', path: '/chat/send-template', status: 400 } as const;
	await sandbox.control.addFault({ ...fault, skip: 1, body: { error: 'Out of order' } });
	await sendElsewhere();
	const [failed] = await n8n.waitForExecutions(thanks, 1);
	expect(failed?.error?.message).toContain('Out of order');
	const retried = await n8n.retry(failed?.id ?? '');
	expect([retried.status, retried.mode]).toEqual(['success', 'retry']);
	expect(await messagesAfter(2)).toBe(2);
	expect(await executionsOf(thanks)).toHaveLength(2);
	expect(await executionsOf(other)).toHaveLength(2);
});

test('what another trigger of the workflow starts is no own message, but two event triggers share theirs', async () => {
	const call = webhookCall();
	const send = sending();
	const triggers: INode[] = [call.node, delivered(), delivered('Delivered Again')];
	const connections = joined(...triggers.map((trigger) => connect([trigger, send])));
	const id = await publish({ name: 'Three', nodes: [...triggers, send], connections });
	await call.send(n8n.url);
	expect(await messagesAfter(3)).toBe(3);
	expect(await executionsOf(id)).toHaveLength(3);
});
