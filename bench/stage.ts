import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startSandbox, type Sandbox } from '../sandbox';
import { chain, node, ROOT, startN8n, TEMP, type CredentialRef, type N8n } from '../harness';
import { webhook } from './flow';

/** Everything a measurement needs: one n8n, one sandbox, a credential. */
export interface Stage {
	n8n: N8n;
	sandbox: Sandbox;
	credential: CredentialRef;
	/** Path of the webhook that makes n8n collect its garbage. */
	settlePath: string;
	/** Fewer and smaller rounds. */
	quick: boolean;
	/** Rounds of each comparison. */
	rounds: number;
	close(): Promise<void>;
}

/** Starts n8n with this package and the bench's own nodes in it. */
export async function openStage(
	quick: boolean,
	settings: Record<string, string> = {},
): Promise<Stage> {
	// In memory where there is such a folder: a slow disk under n8n's database hides the nodes.
	const place = existsSync('/dev/shm') ? '/dev/shm' : TEMP;
	mkdirSync(place, { recursive: true });
	const userFolder = mkdtempSync(path.join(place, 'n8n-bench-'));
	const target = path.join(userFolder, '.n8n/nodes/node_modules/n8n-nodes-bench');
	cpSync(path.join(ROOT, 'bench/nodes'), target, { recursive: true });
	const env = {
		NODE_OPTIONS: '--max-old-space-size=16384',
		// As in production with many executions: only failed ones are kept.
		EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
		N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
		...settings,
	};
	const [sandbox, n8n] = await Promise.all([
		startSandbox({ lifecycle: { enabled: false }, journal: 'summary' }),
		startN8n({ userFolder, env }),
	]);
	await sandbox.control.setAccount({ chatBalance: 1_000_000_000 });
	const credential = await n8n.createCredential('Bench', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.production,
	});
	const settlePath = 'bench-settle';
	const settle = [
		webhook({ path: settlePath, responseMode: 'lastNode' }),
		node('Settle', 'n8n-nodes-bench.benchSettle'),
	];
	await n8n.publish(await n8n.createWorkflow(chain('Settle', settle)));
	const close = async () => {
		await n8n.stop();
		await sandbox.close();
		rmSync(userFolder, { recursive: true, force: true });
	};
	return { n8n, sandbox, credential, settlePath, quick, rounds: quick ? 3 : 5, close };
}
