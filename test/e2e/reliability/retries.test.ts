import type { Execution, NodeExtra } from '../../../harness';
import { playRows, type Outcome, type Play, type Row } from '../../support/reliability/rows';
import type { Act } from '../../support/reliability/service';
import {
	phones,
	recipientsNode,
	sender,
	useStage,
	type SendSettings,
} from '../../support/reliability/stage';

const stage = useStage();

const recipients = phones(50);
const reject: Act = { does: 'reject' };
const cutAfter: Act = { does: 'cut', acts: true };
const goingOn: NodeExtra = { onError: 'continueRegularOutput' };
const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };

/** What differs at every evaluation. */
const varying = '$now.toMillis()';

/** Writes down what the service does with single items, by their index. */
function script({ stage: { service } }: Play, acts: Record<number, Act[]>): void {
	for (const [index, ofItem] of Object.entries(acts)) {
		service.script(recipients[Number(index)] ?? '', ...ofItem);
	}
}

/** Runs a workflow that sends to all recipients. */
async function run(
	{ stage: { n8n, manual }, send }: Play,
	settings: SendSettings = {},
): Promise<{ id: string; first: Execution }> {
	const id = await manual([recipientsNode(recipients), send(settings)]);
	return { id, first: await n8n.run(id) };
}

/** All was sent in the end, and the last execution gives the service's first answer to each item. */
function expectAll({ execution, arrivals }: Outcome): void {
	expect(execution.status).toBe('success');
	const idOf = new Map(arrivals.map(({ recipient, id }) => [recipient, id]));
	const told = execution.json(sender).map(({ providerMessageId }) => providerMessageId);
	expect(told).toEqual(recipients.map((recipient) => idOf.get(recipient)));
}

const runs = [recipients];

const rows: Row[] = [
	{
		what: 'Retry On Fail, a parameter with $now',
		runs,
		play: async (play) => {
			script(play, { 20: [reject] });
			return (await run(play, { extra: retrying, varying })).first;
		},
		expected: { arrived: 50 },
		check: expectAll,
	},
	{
		what: 'three retries of the same failed execution, with the original and the current workflow in turn',
		runs,
		play: async (play) => {
			script(play, { 20: [reject, reject], 40: [reject] });
			const { first } = await run(play);
			await play.stage.n8n.retry(first.id, { isCurrent: true });
			await play.stage.n8n.retry(first.id);
			return await play.stage.n8n.retry(first.id, { isCurrent: true });
		},
		expected: { arrived: 50 },
		check: ({ execution }) => expect(execution.status).toBe('success'),
	},
	{
		what: 'the retry of a retry',
		runs,
		play: async (play) => {
			script(play, { 20: [reject], 40: [reject] });
			const { first } = await run(play);
			const { id } = await play.stage.n8n.retry(first.id);
			return await play.stage.n8n.retry(id, { isCurrent: true });
		},
		expected: { arrived: 50 },
		check: expectAll,
		// Its first retry has sent everything a second time and leaves nothing to retry.
		hasPeer: false,
	},
	{
		what: 'Retry pressed twice at the same moment',
		runs,
		play: async (play) => {
			const { n8n, service } = play.stage;
			script(play, { 20: [reject] });
			const { first } = await run(play);
			service.delayMs = 50;
			const [, last] = await Promise.all([n8n.retry(first.id), n8n.retry(first.id)]);
			if (!last) throw new Error('There is no second retry');
			return last;
		},
		// What the other retry has in flight at that moment, this one cannot know the end of.
		expected: ({ twice, missing, arrived }) => {
			expect({ twice, missing, arrived }).toEqual({ twice: 0, missing: 0, arrived: 50 });
		},
	},
	{
		what: 'connection cut after processing, then two retries with continue on fail',
		runs,
		play: async (play) => {
			script(play, { 20: [cutAfter], 40: [reject] });
			const { id, first } = await run(play);
			await play.stage.replace(id, play.send({ extra: goingOn }));
			await play.stage.n8n.retry(first.id, { isCurrent: true });
			return await play.stage.n8n.retry(first.id, { isCurrent: true });
		},
		expected: { arrived: 50, unknown: 1 },
		check: ({ all }) => {
			expect(all[20]).toMatchObject({ arrived: 1, told: 'unknown' });
		},
	},
	{
		what: 'a campaign: three chunks of 100, the second unknown (processed), then Retry with chunks of 50 and continue on fail',
		runs: [phones(300)],
		hasPeer: false,
		play: async () => {
			const { n8n, service } = stage;
			const all = phones(300);
			service.script(all[100] ?? '', cutAfter);
			const campaign = stage.campaign({ chunkSize: 100 });
			const id = await stage.manual([recipientsNode(all), campaign]);
			const first = await n8n.run(id);
			expect(first.status).toBe('error');
			await stage.replace(id, stage.campaign({ chunkSize: 50 }, goingOn));
			return await n8n.retry(first.id, { isCurrent: true });
		},
		expected: { arrived: 200, unknown: 300 },
		check: ({ all }) => {
			expect(all.slice(100, 200).every(({ told }) => told === 'unknown')).toBe(true);
		},
	},
];

playRows('retries', rows, () => stage);
