import { cpSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { chain, manualTrigger, messagingService, N8n, owner, startN8n } from '../../harness';
import { signIn } from '../../harness/client';
import { prepareN8n } from '../../harness/n8n';
import { Triggers, useTriggers } from '../support/e2e/triggers';

let original: N8n;
/** Runs with a copy of the folder, so with the same database and encryption key, at another address. */
let clone: N8n;
beforeAll(async () => (original = await startN8n()));
afterAll(async () => {
	await original.stop();
	await clone.stop();
});
const triggers = useTriggers(() => original);

async function startClone(): Promise<N8n> {
	const { process } = original;
	const userFolder = mkdtempSync(path.join(path.dirname(process.folder), 'user-'));
	await process.kill('SIGKILL');
	cpSync(process.folder, userFolder, { recursive: true });
	await process.restart();
	const copy = await prepareN8n('start', { userFolder });
	await copy.start();
	return new N8n(copy, await signIn(copy.url, owner.password));
}

test('a clone of n8n leaves the registration of its original alone, and Check Setup shows it', async () => {
	const { sandbox, credential } = triggers;
	const { id, webhookId, registration } = await triggers.publish();
	clone = await startClone();
	const cloned = new Triggers(() => clone, sandbox, credential);
	const isOnly = async () => {
		expect(await triggers.only(webhookId)).toEqual(registration);
		const [delivery] = await sandbox.control.emit({ webhookId: registration.id });
		expect(delivery?.status).toBe(200);
	};

	await clone.unpublish(id);
	await isOnly();

	await clone.publish(id);
	await cloned.changeEvents(id, 'message.delivered');
	const all = await triggers.registrations(webhookId);
	expect(all).toHaveLength(2);
	expect(all).toContainEqual(registration);
	const answers = await sandbox.control.emit();
	expect(answers.map(({ status }) => status)).toEqual([200, 200]);

	const check = messagingService({ resource: 'account', operation: 'checkSetup' }, credential);
	const checked = await clone.tryOut(chain('Check', [manualTrigger(), check]));
	const message = `${registration.url} does not lead to this n8n`;
	expect(checked.json('Messaging Service')).toContainEqual(
		expect.objectContaining({ check: 'registration', ok: null, message }),
	);
	await clone.unpublish(id);
	await isOnly();
	expect(await original.waitForExecutions(id, 3)).toHaveLength(3);
});
