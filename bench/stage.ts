import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import axios from 'axios';
import { startSandbox, type Sandbox } from '../sandbox';
import {
	cacheFolder,
	chain,
	node,
	rootFolder,
	startN8n,
	tempFolder,
	type CredentialRef,
	type N8n,
} from '../harness';
import { publish, webhook } from './flow';
import { hottest } from './profile';

/** Where `--profile` writes. */
const profiles = path.join(cacheFolder, 'profiles');

/** Everything a measurement needs: one n8n, one sandbox, a credential. */
export interface Stage {
	n8n: N8n;
	sandbox: Sandbox;
	credential: CredentialRef;
	/** Path of the webhook that makes n8n collect its garbage. */
	settlePath: string;
	/** How the stage was asked for, to open another one alike. */
	options: StageOptions;
	/** Rounds of each comparison. */
	rounds: number;
	/** A number that depends on whether it is quick. */
	sized(full: number, quick: number): number;
	/** Does the work; with `--profile` it writes under this name what n8n spends its time with. */
	profiled<T>(name: string, work: () => Promise<T>): Promise<T>;
	close(): Promise<void>;
}

export interface StageOptions {
	/** Fewer and smaller rounds. */
	quick: boolean;
	/** One round, in which n8n is profiled. */
	profile: boolean;
}

/** Starts n8n with this package and the bench's own nodes in it. */
export async function openStage(
	options: StageOptions,
	settings: Record<string, string> = {},
): Promise<Stage> {
	// In memory where there is such a folder: a slow disk under n8n's database hides the nodes.
	const place = existsSync('/dev/shm') ? '/dev/shm' : tempFolder;
	mkdirSync(place, { recursive: true });
	const userFolder = mkdtempSync(path.join(place, 'n8n-bench-'));
	const target = path.join(userFolder, '.n8n/nodes/node_modules/n8n-nodes-bench');
	cpSync(path.join(rootFolder, 'bench/nodes'), target, { recursive: true });
	const env = {
		NODE_OPTIONS: '--max-old-space-size=16384',
		// As in production with many executions: only failed ones are kept.
		EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
		N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
		N8N_BENCH_QUICK: String(options.quick),
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
	const settlePath = await publishSwitch(n8n, 'benchSettle');
	const profilePath = options.profile ? await publishSwitch(n8n, 'benchProfile') : undefined;
	const { quick, profile } = options;
	return {
		n8n,
		sandbox,
		credential,
		settlePath,
		options,
		rounds: profile || quick ? 1 : 3,
		sized: (full, small) => (quick ? small : full),
		profiled: async (name, work) =>
			profilePath === undefined
				? await work()
				: await profiled(`${n8n.url}/webhook/${profilePath}`, name, work),
		close: async () => {
			await n8n.stop();
			await sandbox.close();
			rmSync(userFolder, { recursive: true, force: true });
		},
	};
}

/** Publishes a node of the bench that acts when its webhook is called; gives the webhook's path. */
async function publishSwitch(n8n: N8n, type: string): Promise<string> {
	const start = webhook({ path: `bench-${type}`, responseMode: 'lastNode' });
	const nodes = [start, node(type, `n8n-nodes-bench.${type}`)];
	await publish(n8n, chain(type, nodes));
	return String(start.webhookId);
}

async function profiled<T>(url: string, name: string, work: () => Promise<T>): Promise<T> {
	mkdirSync(profiles, { recursive: true });
	const file = path.join(profiles, `${name.replace(/\W+/g, '-')}.cpuprofile`);
	await axios.post(url, {}, { proxy: false });
	const result = await work();
	await axios.post(url, { file }, { proxy: false });
	console.log([`\n${path.relative(rootFolder, file)}`, ...hottest(file)].join('\n'));
	return result;
}
