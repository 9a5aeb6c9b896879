import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { example } from '../../scripts/start/examples';
import { attachN8n } from '../../harness';

const n8n = attachN8n();

const settings = { secret: 'only-for-this-test', challengeField: 'echo.this' };
let url = '';
let id = '';

/** Publishes it with these settings, at a URL of its own. */
async function published(set: Record<string, string>): Promise<void> {
	const path = randomUUID();
	const workflow = example('dashboard-webhooks.json');
	for (const node of workflow.nodes) {
		if (node.webhookId)
			Object.assign(node, { webhookId: path, parameters: { ...node.parameters, path } });
		if (node.name !== 'Settings') continue;
		const { assignments } = node.parameters.assignments as { assignments: IDataObject[] };
		for (const one of assignments) one.value = set[String(one.name).split('.')[1] ?? ''] ?? '';
	}
	id = await n8n.createWorkflow(workflow);
	await n8n.publish(id);
	url = `${n8n.url}/webhook/${path}`;
}

const at = (query: Record<string, string>) => `${url}?${new URLSearchParams(query).toString()}`;
const post = async (query: Record<string, string>, body: unknown = { any: 'thing' }) =>
	await fetch(at(query), {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});

afterEach(async () => await n8n.unpublish(id));

test('refuses everything as long as there is no secret', async () => {
	await published({});
	expect((await post({ secret: '' })).status).toBe(403);
	expect((await post({})).status).toBe(403);
});

test('refuses what has not the secret', async () => {
	await published(settings);
	expect((await post({ secret: 'another' })).status).toBe(403);
	expect((await post({})).status).toBe(403);
	expect((await fetch(at({ 'echo.this': 'no' }))).status).toBe(403);
	const executions = await n8n.waitForExecutions(id, 3);
	expect(executions.map((one) => one.json('Payload'))).toEqual([[], [], []]);
});

test('answers a request of verification with the value that it wants back', async () => {
	await published(settings);
	const { secret } = settings;
	const answer = await fetch(at({ secret, 'echo.this': '<b>12345</b>', other: 'x' }));
	expect([answer.status, await answer.text()]).toEqual([200, '<b>12345</b>']);
	expect(answer.headers.get('content-type')).toContain('text/plain');
	const without = await fetch(at({ secret }));
	expect([without.status, await without.text()]).toEqual([200, 'OK']);
});

test('passes the payload on by its kind', async () => {
	await published(settings);
	const { secret } = settings;
	const body = { nested: [{ value: 1 }], text: 'as it came' };
	const branches: Array<[kind: string | undefined, branch: string]> = [
		['message', 'Incoming Message'],
		['status', 'Message Status'],
		['email', 'Email Status'],
		['balance', 'Balance'],
		['unheard-of', 'Anything Else'],
		[undefined, 'Anything Else'],
	];
	for (const [kind] of branches) {
		const query = { secret, ...(kind === undefined ? {} : { kind }) };
		expect((await post(query, body)).status).toBe(200);
	}
	const executions = await n8n.waitForExecutions(id, branches.length);
	const names = [...new Set(branches.map(([, branch]) => branch))];
	const passed = executions.flatMap((one) =>
		names.flatMap((name) => one.json(name).map((item) => [name, item])),
	);
	expect(passed).toHaveLength(branches.length);
	for (const [kind = '', branch] of branches) {
		expect(passed).toContainEqual([branch, { kind, payload: body }]);
	}
});
