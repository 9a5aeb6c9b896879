import { startSandbox, type Sandbox } from '../../sandbox';
import { startN8n, type N8n } from '../../harness';
import { example, exampleCredential, exampleFiles, otherCredentials } from './examples';
import type { DemoOptions } from './options';
import { choosePort, inUse } from './ports';
import { prepareHost } from './prepare';
import { reloading } from './rebuild';
import { keep, reasonOf, Trouble } from './trouble';

const defaultN8nPort = 5678;
const sandboxPort = 4010;

/** Workflows of `examples/` that the demo runs, and the nodes it looks at. */
const sending = 'send-template.json';
const sender = 'Send Template';
const receivingExample = 'message-delivered.json';
const trigger = 'On Message Delivered';

/** What happened, as `npm start -- --once` prints it on its last line. */
export interface DemoResult {
	/** How many messages went out. */
	sent: number;
	providerMessageId: string;
	event: string;
	receivedProviderMessageId: string;
	/** From the send to the end of the execution that the event started. */
	seconds: number;
}

/** A running sandbox and an n8n that uses it. */
export class Demo {
	private constructor(
		readonly sandbox: Sandbox,
		readonly n8n: N8n,
	) {}

	/**
	 * Starts both.
	 * @param say hears what is going on
	 * @throws Trouble when one does not start; nothing is left running then
	 */
	static async start(options: DemoOptions, say: (line: string) => void): Promise<Demo> {
		const n8nPort = await choosePort(defaultN8nPort, options.port);
		const sandbox = await startSandboxOn(options.sandboxPort);
		say(`Sandbox of the service, to be seen in a browser: ${sandbox.url}`);
		try {
			await prepareHost();
			say(`Starting n8n on port ${n8nPort} (about 15 seconds)`);
			return new Demo(sandbox, await startN8nOn(n8nPort, options.watch ? reloading : {}));
		} catch (error) {
			await sandbox.close();
			throw error;
		}
	}

	/** Address of the editor. */
	get editor(): string {
		return this.n8n.url.replace('127.0.0.1', 'localhost');
	}

	/** Sets up the credentials and all examples, sends a message and awaits its event. */
	async play(say: (line: string) => void): Promise<DemoResult> {
		const { n8n } = this;
		const { receiving, sending } = await this.setUp(say);
		await n8n.publish(receiving);

		say('Sending a template message');
		const start = Date.now();
		const run = await n8n.run(sending);
		const sent = run.json(sender);
		const providerMessageId = sent[0]?.providerMessageId;
		if (run.status !== 'success' || typeof providerMessageId !== 'string') {
			throw new Trouble(`The message was not sent: ${run.error?.message ?? run.status}.`);
		}

		say('Waiting for the signed event of this message');
		const [execution] = await n8n.waitForExecutions(receiving, 1);
		const received = execution?.json(trigger)[0] as
			| { event: string; data: { providerMessageId: string } }
			| undefined;
		return {
			sent: sent.length,
			providerMessageId,
			event: received?.event ?? '',
			receivedProviderMessageId: received?.data.providerMessageId ?? '',
			seconds: Math.round((Date.now() - start) / 10) / 100,
		};
	}

	/** @returns ids of the two workflows that the demo runs */
	private async setUp(
		say: (line: string) => void,
	): Promise<{ receiving: string; sending: string }> {
		const { n8n, sandbox } = this;
		// The two that are run come last, because the editor shows the newest first.
		const others = exampleFiles().filter((file) => file !== sending && file !== receivingExample);
		say(`Setting up the credentials and ${others.length + 2} example workflows`);
		await n8n.createCredential(exampleCredential, {
			baseUrl: sandbox.baseUrl,
			apiKey: sandbox.keys.production,
		});
		for (const [name, { type, data }] of Object.entries(otherCredentials)) {
			await n8n.createCredential(name, data, type);
		}
		for (const file of others) await n8n.createWorkflow(example(file));
		const receiving = await n8n.createWorkflow(example(receivingExample));
		return { receiving, sending: await n8n.createWorkflow(example(sending)) };
	}

	/** Stops both and removes what they stored. */
	async stop(): Promise<void> {
		await this.n8n.stop();
		await this.sandbox.close();
	}
}

/** On the wanted port or not at all; if none is wanted, on the usual one or a free one. */
async function startSandboxOn(wanted?: number): Promise<Sandbox> {
	try {
		return await startSandbox({ port: wanted ?? sandboxPort });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
			if (wanted === undefined) return await startSandbox();
			throw new Trouble(inUse(wanted, 'the sandbox', '--sandbox-port'));
		}
		throw new Trouble(
			`The sandbox did not start: ${reasonOf(error)}. Try another port: npm start -- --sandbox-port N`,
		);
	}
}

async function startN8nOn(port: number, env: Record<string, string>): Promise<N8n> {
	try {
		return await startN8n({ port, env: { N8N_DISABLE_UI: 'false', ...env } });
	} catch (error) {
		throw new Trouble(
			`n8n did not start: ${reasonOf(error)}. What it said last is in ${keep(error)}; try npm start again.`,
		);
	}
}
