import { randomUUID } from 'node:crypto';
import { startSandbox, type Sandbox } from '../../sandbox';
import { chain, messagingServiceTrigger, noOp, startN8n, type N8n } from '../../harness';
import { writeTable } from '../../harness/docs';

let n8n: N8n;
let sandbox: Sandbox;
let workflow = '';
let flowed = 0;
const rows: Array<[string, number, number]> = [];
const elsewhere = 'https://elsewhere.example/hook';

// This n8n is restarted, so it is not the shared one.
beforeAll(async () => {
	[sandbox, n8n] = await Promise.all([startSandbox({ lifecycle: { enabled: false } }), startN8n()]);
	const { baseUrl, keys } = sandbox;
	const credential = await n8n.createCredential('Registration', {
		baseUrl,
		apiKey: keys.production,
	});
	const trigger = messagingServiceTrigger(
		{ events: ['message.sent', 'message.delivered'] },
		credential,
		{ webhookId: randomUUID() },
	);
	workflow = await n8n.createWorkflow(chain('Registration', [trigger, noOp('Then')]));
	await fetch(`${baseUrl}/chat/webhooks`, {
		method: 'POST',
		headers: { 'x-api-key': keys.production, 'content-type': 'application/json' },
		body: JSON.stringify({ url: elsewhere }),
	});
});

afterAll(async () => {
	const table = [
		'| after | registrations of the trigger | of another URL |',
		'|---|---:|---:|',
		...rows.map(([step, own, others]) => `| ${step} | ${own} | ${others} |`),
	].join('\n');
	console.log(table);
	writeTable('registrations', table);
	await n8n.stop();
	await sandbox.close();
});

async function changeEvents(events: string[]): Promise<void> {
	const { nodes } = await n8n.getWorkflow(workflow);
	const changed = nodes.map((node) =>
		node.name === 'Then' ? node : { ...node, parameters: { ...node.parameters, events } },
	);
	await n8n.updateWorkflow(workflow, { nodes: changed });
	await n8n.republish(workflow);
}

/** Exactly these registrations are there, and an event becomes an execution. */
async function settled(step: string, expected = 1): Promise<void> {
	const webhooks = await sandbox.control.webhooks();
	const own = webhooks.filter(({ url }) => url !== elsewhere);
	rows.push([step, own.length, webhooks.length - own.length]);
	expect(own).toHaveLength(expected);
	expect(webhooks).toHaveLength(expected + 1);
	for (const { id } of own) {
		const [answer] = await sandbox.control.emit({ webhookId: id });
		expect(answer?.status).toBe(200);
		flowed++;
	}
	expect(await n8n.waitForExecutions(workflow, flowed)).toHaveLength(flowed);
}

test('one registration whatever happens', async () => {
	await n8n.publish(workflow);
	await settled('publishing');

	for (let round = 0; round < 10; round++) {
		const { nodes } = await n8n.getWorkflow(workflow);
		const moved = nodes.map((node) => ({ ...node, notes: `Round ${round}` }));
		await n8n.updateWorkflow(workflow, { nodes: moved });
		await n8n.republish(workflow);
	}
	await settled('publishing ten times again');

	await changeEvents(['message.delivered']);
	await settled('publishing with other events');
	const [own] = (await sandbox.control.webhooks()).filter(({ url }) => url !== elsewhere);
	expect(own?.events).toEqual(['message.delivered']);

	await n8n.restart();
	await settled('a restart of n8n');

	await sandbox.control.removeWebhook(own?.id ?? '');
	await changeEvents(['message.delivered', 'message.failed']);
	await settled("deleting the registration behind n8n's back and publishing");

	const [kept] = (await sandbox.control.webhooks()).filter(({ url }) => url !== elsewhere);
	await n8n.unpublish(workflow);
	await settled('unpublishing', 0);

	// A registration whose secret nobody knows any more, as a lost database leaves it.
	await fetch(`${sandbox.baseUrl}/chat/webhooks`, {
		method: 'POST',
		headers: { 'x-api-key': sandbox.keys.production, 'content-type': 'application/json' },
		body: JSON.stringify({ url: kept?.url, events: kept?.events }),
	});
	await n8n.publish(workflow);
	await settled('publishing after the secret was lost');

	await n8n.archive(workflow);
	await n8n.deleteWorkflow(workflow);
	const left = await sandbox.control.webhooks();
	rows.push(['deleting the workflow', left.length - 1, 1]);
	expect(left.map(({ url }) => url)).toEqual([elsewhere]);
});
