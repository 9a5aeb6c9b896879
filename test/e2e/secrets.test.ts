import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../sandbox';
import {
	cacheFolder,
	chain,
	code,
	manualTrigger,
	messagingService,
	messagingServiceTrigger,
	noOp,
	startN8n,
	type CredentialRef,
	type N8n,
} from '../../harness';
import { findingsIn, isExpected } from '../support/secrets/findings';

let folder: string;
let sandbox: Sandbox;
let n8n: N8n;
let credential: CredentialRef;
let key: string;

// An n8n with a folder of its own: what is planted here must not count for the others.
beforeAll(async () => {
	mkdirSync(path.join(cacheFolder, 'n8n'), { recursive: true });
	folder = mkdtempSync(path.join(cacheFolder, 'n8n/secrets-'));
	[sandbox, n8n] = await Promise.all([startSandbox(), startN8n({ userFolder: folder })]);
	key = sandbox.keys.production;
	credential = await n8n.createCredential('Secrets', { baseUrl: sandbox.baseUrl, apiKey: key });
});

afterAll(async () => {
	await n8n.stop();
	await sandbox.close();
	rmSync(folder, { recursive: true, force: true });
});

const balance = () =>
	messagingService({ resource: 'account', operation: 'getBalance' }, credential, {
		onError: 'continueRegularOutput',
	});

test('a service that sends the key back does not get it into an execution', async () => {
	const id = await n8n.createWorkflow(chain('Echo', [manualTrigger(), balance()]));
	const body = {
		success: true,
		user: { balance: 1, chatBalance: 1, key, [key]: [`Bearer ${key}`] },
	};
	const answers = [
		{ status: 200, body },
		{ status: 401, body: { error: `${key} is not a key` } },
		{ status: 500, body: `${key} is not served` },
		{ status: 302, headers: { location: `https://host.example/?key=${key}` } },
	];
	for (const answer of answers) {
		await sandbox.control.addFault({ kind: 'status', path: '/balance', ...answer });
		const execution = await n8n.run(id);
		const [item] = execution.json('Messaging Service');
		expect(JSON.stringify(item)).toContain('[API key]');
		expect(JSON.stringify(execution.raw)).not.toContain(key);
	}
});

test('the search finds every key and secret that is planted, and those that n8n keeps', async () => {
	const receiving = await n8n.createWorkflow(
		chain('Receiving', [messagingServiceTrigger({ events: ['message.sent'] }, credential), noOp()]),
	);
	await n8n.publish(receiving);
	await sandbox.control.emit({ event: 'message.sent' });
	await n8n.waitForExecutions(receiving, 1);

	const creating = { resource: 'webhook', operation: 'create', url: 'https://host.example/hook' };
	const showing = await n8n.createWorkflow(
		chain('Showing', [manualTrigger(), messagingService(creating, credential)]),
	);
	await n8n.run(showing);

	const coded = "Buffer.from('x' + key).toString('base64')";
	const planted = code(`const key = '${key}'; return [{ json: { key, coded: ${coded} } }];`);
	await n8n.run(await n8n.createWorkflow(chain('Planted', [manualTrigger(), planted])));
	appendFileSync(n8n.logFile, `The key is ${key}\n`);
	const { data: exported } = await n8n.api<{ data: IDataObject[] }>('GET', '/workflows');
	await n8n.stop();
	const told = exported.map(({ name, staticData, ...rest }) => [
		name,
		JSON.stringify(staticData).includes('whsec_'),
		/msk_|whsec_/.test(JSON.stringify(rest)),
	]);
	expect(told.sort()).toEqual([
		['Echo', false, false],
		['Planted', false, true],
		['Receiving', true, false],
		['Showing', false, false],
	]);

	const findings = findingsIn(folder);
	const places = (expected: boolean) =>
		findings
			.filter((finding) => isExpected(finding) === expected)
			.map(({ kind, form, place }) => `${kind} ${form} ${place}`)
			.sort();
	expect(places(false)).toEqual([
		'key base64 bytes of the database',
		'key base64 execution_data.data',
		'key plain bytes of the database',
		'key plain execution_data.data',
		'key plain execution_data.workflowData.nodes',
		'key plain n8n.log',
		'key plain workflow_entity.nodes',
		'key plain workflow_history.nodes',
	]);
	expect(places(true)).toEqual([
		'secret plain bytes of the database',
		'secret plain execution_data.data',
		'secret plain workflow_entity.staticData',
	]);
});
