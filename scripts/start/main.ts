import { freePort, isFree, owner, startN8n, type N8n } from '../../harness';
import { startSandbox, type Sandbox } from '../../sandbox';
import {
	createCredentials,
	example,
	exampleDashboard,
	exampleFiles,
	filledIn,
	otherCredentials,
} from './examples';
import { rebuildAtChange, reloading } from './rebuild';

/** Workflows of `examples/` that the demo runs. */
const sending = 'send-template.json';
const receiving = 'delivery-report.json';
const replying = 'auto-reply.json';

const say = (line: string): void => console.log(`· ${line}`);

/** The demo of `npm start`, and with --watch `npm run dev`: see the README. */
async function main(): Promise<void> {
	const isWatching = process.argv.includes('--watch');
	const port = await usualOrFree(5678);
	const sandbox = await startSandbox({ port: await usualOrFree(4010) });
	say(`Sandbox of the service (open in a browser): ${sandbox.url}`);
	say(`Starting n8n on port ${port} (about 15 seconds)`);
	const env = {
		N8N_DISABLE_UI: 'false',
		// The package itself is loaded from its folder nevertheless.
		N8N_COMMUNITY_PACKAGES_ENABLED: 'false',
		...(isWatching ? reloading : {}),
	};
	const n8n = await startN8n({ port, env });
	try {
		await play(n8n, sandbox);
		const end = isWatching ? rebuildAtChange(n8n.process.folder) : () => {};
		console.log(invitation(n8n, sandbox));
		await new Promise<void>((resolve) => (interrupted = resolve));
		end();
	} finally {
		say('Stopping n8n and the sandbox');
		await n8n.stop();
		await sandbox.close();
	}
}

const usualOrFree = async (usual: number): Promise<number> =>
	(await isFree(usual)) ? usual : await freePort();

/** Sets up the credentials and all examples, sends a message and awaits its event. */
async function play(n8n: N8n, sandbox: Sandbox): Promise<void> {
	const files = exampleFiles();
	say(`Setting up the credentials and ${files.length} example workflows`);
	await createCredentials(n8n, sandbox);
	const others = files.filter((file) => ![sending, receiving, replying].includes(file));
	// Those that are run come last, because the editor shows the newest first.
	for (const file of others) await n8n.createWorkflow(filledIn(example(file)));
	await reply(n8n, sandbox);
	const receiver = await n8n.createWorkflow(example(receiving));
	const sender = await n8n.createWorkflow(filledIn(example(sending)));
	await n8n.run(receiver, { trigger: 'Set Up' });
	await n8n.publish(receiver);

	say('Sending a template message');
	const run = await n8n.run(sender);
	const [sent] = run.json('Send Template');
	if (!sent) throw new Error(`The message was not sent: ${run.error?.message ?? run.status}`);
	say('Waiting for the signed event of its delivery');
	// The set-up, and the event.
	const executions = await n8n.waitForExecutions(receiver, 2);
	const events = executions.flatMap((execution) => execution.json('On Message Event'));
	const { event, data } = events.find((one) => one.event === 'message.delivered') ?? {};
	const received = data as { providerMessageId: string } | undefined;
	console.log(`
Sent      1 template message, id ${String(sent.providerMessageId)}
Received  ${String(event)}, id ${received?.providerMessageId}`);
}

/** Publishes the example that answers incoming messages, and creates its webhook on the sandbox's dashboard. */
async function reply(n8n: N8n, sandbox: Sandbox): Promise<void> {
	const workflow = example(replying);
	await n8n.createPublished(workflow);
	const webhookId = workflow.nodes.find(({ webhookId: id }) => id !== undefined)?.webhookId;
	const url = `${n8n.url}/webhook/${webhookId}/webhook`;
	const { verificationToken: token } = otherCredentials[exampleDashboard].data;
	await sandbox.control.addDashboardWebhook({ url, token, events: ['messageReceived'] });
}

const form = otherCredentials['Form login'].data;

const invitation = (n8n: N8n, sandbox: Sandbox): string => `
Editor    ${n8n.url}
Login     ${owner.email} / ${owner.password}
Sandbox   ${sandbox.url} (base URL ${sandbox.baseUrl})
Forms     ${form.user} / ${form.password} (if a form asks)
Press Ctrl+C to stop. This deletes all workflows, including those you have changed.
`;

/** Before the demo waits, the process simply ends, and its servers with it: n8n has a supervisor. */
let interrupted: () => void = () => process.exit(130);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(signal, () => interrupted());
}

main().then(
	() => process.exit(0),
	(error: Error) => {
		console.error(error.message);
		process.exit(1);
	},
);
