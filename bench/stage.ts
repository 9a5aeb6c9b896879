/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs on the developer's machine, never inside n8n */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startSandbox, type Sandbox } from '../sandbox';
import { CACHE, ROOT, startN8n, type CredentialRef, type N8n } from '../test/support/n8n';

/** Everything a measurement needs: one n8n, one sandbox, a credential. */
export interface Stage {
	n8n: N8n;
	sandbox: Sandbox;
	credential: CredentialRef;
	/** Fewer rounds and items. */
	quick: boolean;
	close(): Promise<void>;
}

/** Starts n8n with this package and the bench's own nodes in it. */
export async function openStage(quick: boolean): Promise<Stage> {
	mkdirSync(path.join(CACHE, 'n8n'), { recursive: true });
	const userFolder = mkdtempSync(path.join(CACHE, 'n8n/bench-'));
	const target = path.join(userFolder, '.n8n/nodes/node_modules/n8n-nodes-bench');
	cpSync(path.join(ROOT, 'bench/nodes'), target, { recursive: true });
	const env = {
		NODE_OPTIONS: `--max-old-space-size=16384 ${process.env.BENCH_NODE_OPTIONS ?? ''}`,
		EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
	};
	const [sandbox, n8n] = await Promise.all([
		startSandbox({ lifecycle: { enabled: false }, variants: { journal: 'summary' } }),
		startN8n({ userFolder, env }),
	]);
	await sandbox.control.setAccount({ chatBalance: 1_000_000_000 });
	const credential = await n8n.createCredential('Bench', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.production,
	});
	const close = async () => {
		await n8n.stop();
		await sandbox.close();
		rmSync(userFolder, { recursive: true, force: true });
	};
	return { n8n, sandbox, credential, quick, close };
}

/** Peak memory of a process in bytes since the last reset (Linux). */
export function peakMemory(pid: number): number {
	const [, kilobytes = '0'] =
		/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
	return Number(kilobytes) * 1024;
}

/** Lets the peak start again at what is in use now. */
export const resetPeakMemory = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');
