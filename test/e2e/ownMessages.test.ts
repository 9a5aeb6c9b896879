import type { INode, INodeParameters } from 'n8n-workflow';
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
const delivered = (options: INodeParameters = {}, name = 'Delivered') =>
	messagingServiceTrigger({ events: ['message.delivered'], options }, credential, { name });
const sending = (templateName = 'order_update') =>
	messagingService(
		{
			...{ resource: 'chatMessage', operation: 'sendTemplate', phone, templateName },
			parametersUi: { parameter: [{ value: 'Anna' }, { value: 'noon' }] },
		},
		credential,
		{ name: 'Send' },
	);

async function publish(workflow: WorkflowJson): Promise<string> {
	const id = await n8n.createPublished(workflow);
	published.push(id);
	return id;
}

/** Another program of the account sends a message. */
const sendElsewhere = async () =>
	await askService(sandbox, '/chat/send-template', { phone, templateName: 'order_update' });

/** Waits for so many messages, and until all their events are answered, which may start executions. */
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

test('thanks for a delivery end after one message, which another workflow sees', async () => {
	const thanks = await publish(chain('Thanks', [delivered(), sending()]));
	const other = await publish(chain('Other', [delivered(), code('return [];')]));
	await sendElsewhere();
	expect(await messagesAfter(2)).toBe(2);
	expect(await executionsOf(thanks)).toHaveLength(1);
	expect(await executionsOf(other)).toHaveLength(2);
});

test('with the option off, a drip runs through', async () => {
	const next = `const next = { order_update: 'seasonal_offer', seasonal_offer: 'appointment_reminder' };
const templateName = next[$input.first().json.data.templateName];
return templateName ? [{ json: { templateName } }] : [];`;
	const nodes = [
		delivered({ ignoreOwnMessages: false }),
		code(next),
		sending('={{ $json.templateName }}'),
	];
	const id = await publish(chain('Drip', nodes));
	await sendElsewhere();
	expect(await messagesAfter(3)).toBe(3);
	expect(await executionsOf(id)).toHaveLength(3);
});

test('what another trigger of the workflow starts is no own message, but two event triggers share theirs', async () => {
	const call = webhookCall();
	const send = sending();
	const triggers: INode[] = [call.node, delivered(), delivered({}, 'Delivered Again')];
	const connections = joined(...triggers.map((trigger) => connect([trigger, send])));
	const id = await publish({ name: 'Three', nodes: [...triggers, send], connections });
	await call.send(n8n.url);
	expect(await messagesAfter(3)).toBe(3);
	expect(await executionsOf(id)).toHaveLength(3);
});

test('after a send that failed, its retry sends an own message', async () => {
	await sendElsewhere();
	await sandbox.control.settle();
	const body = { error: 'Out of order' };
	const fault = { kind: 'status', path: '/chat/send-template', status: 400, body } as const;
	const id = await publish(chain('Retried', [delivered(), sending()]));
	await sandbox.control.addFault(fault);
	await sandbox.control.emit();
	const [failed] = await n8n.waitForExecutions(id, 1);
	expect(failed?.error?.message).toContain('Out of order');
	await sandbox.control.clearFaults();
	const retried = await n8n.retry(failed?.id ?? '');
	expect([retried.status, retried.mode]).toEqual(['success', 'retry']);
	expect(await messagesAfter(2)).toBe(2);
	expect(await executionsOf(id)).toHaveLength(2);
});
