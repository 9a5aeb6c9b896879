import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { INode } from 'n8n-workflow';
import { waitFor } from '../../harness';
import { bare } from '../bare';
import { helper, helperName, makeItems, ours, publishFlow, type FlowRun } from '../flow';
import { exponent, toRow, type Row } from '../row';
import type { Stage } from '../stage';

const endpoint = '/chat/send-template';

interface Size {
	count: number;
	run: FlowRun;
	/** Bytes of the execution's data in n8n's database. */
	saved: number;
}

/** How time, memory and saved data grow from 1,000 over 10,000 to 100,000 sends. */
export async function growth(stage: Stage): Promise<Row[]> {
	const { sandbox } = stage;
	// The service's own records of so many messages must not slow it down.
	const body = { success: true, status: 'sent', providerMessageId: randomUUID() };
	const answer = { kind: 'status', path: endpoint, status: 200, body, count: 'infinite' } as const;
	await sandbox.control.addFault(answer);
	const counts = [1_000, 10_000, 100_000].map((full) => stage.sized(full, full / 50));
	const sizes: Size[] = [];
	for (const count of counts) sizes.push(await measure(stage, count, own(stage)));
	// A hundred thousand would take it half an hour.
	const alone: Size[] = [];
	for (const count of counts.slice(0, 2)) alone.push(await measure(stage, count, helper(stage, 5)));
	await sandbox.control.clearFaults();

	const name = 'from 1,000 to 100,000 sends';
	const growing = (what: string, cost: (size: Size) => number) =>
		toRow({
			name: `${name}: exponent of the growth of ${what}`,
			unit: '',
			ours: [exponent(sizes.map((size) => ({ work: size.count, cost: cost(size) })))],
			most: 1.05,
		});
	return [
		growing('time', ({ run }) => run.nodesMs),
		growing('memory', ({ run }) => run.memory),
		growing('saved execution data', ({ saved }) => saved),
		toRow({
			name: `${name}: memory per further item`,
			unit: 'KB',
			ours: [perFurther(sizes, ({ run }) => run.memory)],
			limit: [perFurther(alone, ({ run }) => run.memory)],
			limitName: `${helperName}, to 10,000 sends`,
			limitTarget: 0.5,
		}),
		toRow({
			name: `${name}: saved data per further item`,
			unit: 'KB',
			ours: [perFurther(sizes, ({ saved }) => saved)],
		}),
	];
}

const own = (stage: Stage): INode =>
	ours(stage, {
		resource: 'chatMessage',
		operation: 'sendTemplate',
		phone: '={{ $json.phone }}',
		templateName: 'order_update',
	});

/** What each item beyond the smallest size adds, in thousands. */
function perFurther(sizes: Size[], cost: (size: Size) => number): number {
	const [small, large] = [sizes[0], sizes.at(-1)] as [Size, Size];
	return (cost(large) - cost(small)) / (large.count - small.count) / 1_000;
}

async function measure(stage: Stage, count: number, send: INode): Promise<Size> {
	const { n8n, sandbox } = stage;
	const settings = { saveDataSuccessExecution: 'all' };
	const flow = await publishFlow(stage, makeItems(count), [send], settings);
	await sandbox.control.resetStats();
	const run = await flow();
	const { requests } = await sandbox.control.stats();
	if (requests !== count) throw new Error(`${requests} of ${count} requests arrived`);
	const database = path.join(n8n.userFolder, '.n8n/database.sqlite');
	const { workflowId } = flow;
	const saved = await waitFor('the execution to be saved', async () => {
		const { bytes } = await bare<{ bytes: number | null }>('saved', { database, workflowId });
		return bytes ?? undefined;
	});
	return { count, run, saved };
}
