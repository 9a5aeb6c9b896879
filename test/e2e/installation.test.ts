import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
	chain,
	installedPackage,
	manualTrigger,
	messagingService,
	messagingServicePollingTrigger,
	messagingServiceTrigger,
	noOp,
	packageName,
	rootFolder,
	startN8n,
	tarballPath,
	tempFolder,
	waitFor,
	type N8n,
} from '../../harness';
import { hostNode } from '../../harness/environment';
import { cacheFolder } from '../../harness/paths';
import { startSandbox, type Sandbox } from '../../sandbox';
import { pollTimes } from '../support/e2e/polls';
import { template } from '../support/reliability/stage';

/** The environment of an n8n whose npm offers this package alone: n8n wants a license for another registry. */
function packageFromNpm(): Record<string, string> {
	const folder = mkdtempSync(path.join(tempFolder, 'npm-'));
	const npm = `#!/bin/sh
case "$1" in
	view) echo '"0.1.0"' ;;
	pack) cp '${tarballPath}' package.tgz && echo package.tgz ;;
	*) PATH="\${PATH#*:}" exec npm "$@" ;;
esac
`;
	writeFileSync(path.join(folder, 'npm'), npm, { mode: 0o755 });
	const folders = [folder, path.dirname(hostNode), process.env.PATH ?? ''];
	return {
		PATH: folders.join(path.delimiter),
		// What n8n requests from the internet itself fails at once, and it goes on with npm.
		HTTPS_PROXY: 'http://127.0.0.1:9',
		NO_PROXY: '127.0.0.1',
	};
}

let sandbox: Sandbox;
let n8n: N8n;
let userFolder: string;
beforeAll(async () => {
	sandbox = await startSandbox({ lifecycle: { enabled: false } });
	mkdirSync(path.join(cacheFolder, 'n8n'), { recursive: true });
	userFolder = mkdtempSync(path.join(cacheFolder, 'n8n/user-'));
	// As npm leaves it there for another package, Node.js finds it before n8n's own.
	const besides = path.join(installedPackage(userFolder), '../zod');
	cpSync(path.join(rootFolder, 'node_modules/zod-4.0'), besides, { recursive: true });
	n8n = await startN8n({ isBare: true, userFolder, env: packageFromNpm() });
});
afterAll(async () => {
	await n8n.stop();
	await sandbox.close();
});

interface Installed {
	installedNodes: Array<{ name: string }>;
}

/** What a click on Settings > Community nodes requests of n8n. */
const community = async (method: 'PATCH' | 'POST') =>
	await n8n.rest<Installed>(method, '/community-packages', { name: packageName });

test('the package is installed by its name, and workflows, even published ones, work on when it is installed again', async () => {
	const nodeType = `${packageName}.messagingService`;
	expect(await n8n.nodeType(nodeType)).toBeUndefined();
	const { installedNodes } = await community('POST');
	expect(installedNodes.map(({ name }) => name).sort()).toEqual([
		'Messaging Service',
		'Messaging Service Dashboard Trigger',
		'Messaging Service Polling Trigger',
		'Messaging Service Trigger',
	]);
	expect(await n8n.nodeType(nodeType)).toMatchObject({ displayName: 'Messaging Service' });

	const credential = await n8n.createAccount(sandbox);
	const json = { header: 'json', headerParametersJson: '{"type":"image"}' };
	const send = messagingService({ ...template, ...json, phone: '447700900210' }, credential);
	const sending = await n8n.createWorkflow(chain('Sending', [manualTrigger(), send]));
	const trigger = messagingServiceTrigger({ events: ['message.delivered'] }, credential);
	const receiving = await n8n.createPublished(chain('Receiving', [trigger, noOp()]));
	/** Both workflows work: they have sent and received so many messages then. */
	const bothWork = async (count: number) => {
		expect((await n8n.run(sending)).error).toBeUndefined();
		expect(await sandbox.control.messages()).toHaveLength(count);
		const [delivery] = await sandbox.control.emit({ event: 'message.delivered' });
		expect(delivery?.status).toBe(200);
		expect(await n8n.waitForExecutions(receiving, count)).toHaveLength(count);
	};
	await bothWork(1);
	const require = createRequire(path.join(installedPackage(userFolder), 'dist/index.js'));
	expect(require('zod/package.json')).toMatchObject({ version: '4.0.17' });
	expect(await community('PATCH')).toMatchObject({ installedVersion: '0.1.0' });
	await bothWork(2);
	expect(await sandbox.control.webhooks()).toHaveLength(1);

	const list = { recipientsSource: 'json', recipientsJson: '[{"phone":"447700900211"}]' };
	const parameters = { ...template, ...list, resource: 'bulkCampaign', operation: 'create' };
	const campaign = chain('Campaign', [manualTrigger(), messagingService(parameters, credential)]);
	expect((await n8n.run(await n8n.createWorkflow(campaign))).error).toBeUndefined();
});

test('a published polling trigger goes on after the package was removed and installed again', async () => {
	const credential = await n8n.createAccount(sandbox);
	const parameters = { watch: 'messages', statuses: ['Read'], pollTimes };
	const polling = messagingServicePollingTrigger(parameters, credential);
	const add = async () => await sandbox.control.addMessages(1, { status: 'Read' });
	await add();
	const id = await n8n.createPublished(chain('Polling', [polling, noOp('Then')]));
	/** The IDs of all records that polls have emitted, of which there are at least so many. */
	const emitted = async (count: number) =>
		await waitFor(`${count} emitted records`, async () => {
			const found = (await n8n.executions(id)).flatMap((one) => one.json('Then'));
			return found.length >= count && found.map((record) => record.id);
		});

	// n8n keeps the context of the poll at publishing, which emitted nothing.
	await n8n.rest('DELETE', `/community-packages?name=${packageName}`);
	expect(await n8n.nodeType(polling.type)).toBeUndefined();
	const away = await add();
	await community('POST');
	expect(await emitted(1)).toEqual(away);

	await n8n.unpublish(id);
	await add();
	await n8n.publish(id);
	const later = await add();
	expect(await emitted(2)).toEqual([...away, ...later]);
	await n8n.unpublish(id);
});
