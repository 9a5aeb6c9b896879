import { startN8n, type Execution, type N8n } from '../../harness';
import { toldBy, type Told } from '../support/reliability/ledger';
import {
	phones,
	recipientsNode,
	sender,
	Stage,
	type SendSettings,
} from '../support/reliability/stage';

let n8n: N8n;
let stage: Stage;

beforeAll(async () => {
	n8n = await startN8n();
	stage = await Stage.open(n8n);
});

afterAll(async () => {
	await stage?.close();
	await n8n?.stop();
});

const options = { batching: { batch: { batchSize: 50 } } };
const keyed: SendSettings = { options, own: { idempotencyKey: '={{ $json.order }}' } };

const tally = (execution: Execution): Partial<Record<Told, number>> => {
	const counts: Partial<Record<Told, number>> = {};
	for (const told of execution.json(sender).map(toldBy)) counts[told] = (counts[told] ?? 0) + 1;
	return counts;
};

test('10,000 keys of a node count, also after 3,000 sends without a key', async () => {
	const run = async (id: string) => tally(await n8n.run(id, { timeoutMs: 400_000 }));
	const everyone = recipientsNode(phones(10_000));
	const id = await stage.manual([everyone, stage.ours(keyed)]);
	expect(await run(id)).toEqual({ sent: 10_000 });
	expect(await run(id)).toEqual({ alreadySent: 10_000 });

	await stage.replace(id, recipientsNode(phones(3_000)));
	await stage.replace(id, stage.ours({ options }));
	expect(await run(id)).toEqual({ sent: 3_000 });

	await stage.replace(id, everyone);
	await stage.replace(id, stage.ours(keyed));
	expect(await run(id)).toEqual({ alreadySent: 10_000 });
	expect(stage.service.requests).toBe(13_000);
});
