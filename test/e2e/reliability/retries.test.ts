import type { Execution } from '../../../harness';
import { playRows, type Play, type Row } from '../../support/reliability/rows';
import type { Act } from '../../support/reliability/service';
import {
	idsOf,
	phones,
	recipientsNode,
	sender,
	useStage,
	type Stage,
	type SendSettings,
} from '../../support/reliability/stage';

const stage = useStage();

const recipients = phones(50);
const reject: Act = { does: 'reject' };
const cutAfter: Act = { does: 'cut', acts: true };
const cutBefore: Act = { does: 'cut', acts: false };
const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };

/** What differs at every evaluation, or in every execution. */
const varying = {
	$now: '$now.toMillis()',
	'$execution.id': '$execution.id',
};

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
function expectAll({
	execution,
	stage: { service },
}: {
	execution: Execution;
	stage: Stage;
}): void {
	expect(execution.status).toBe('success');
	const idOf = new Map(service.arrivals.map(({ recipient, id }) => [recipient, id]));
	expect(idsOf(execution)).toEqual(recipients.map((recipient) => idOf.get(recipient)));
}

const runs = [recipients];

const failingRows: Row[] = [
	{
		what: 'Retry On Fail, a parameter with $now',
		runs,
		play: async (play) => {
			script(play, { 20: [reject] });
			return (await run(play, { extra: retrying, varying: varying.$now })).first;
		},
		expected: { arrived: 50 },
		check: expectAll,
	},
	{
		what: 'rejected in the middle, error output',
		runs,
		play: async (play) => {
			script(play, { 20: [reject] });
			return (await run(play, { extra: { onError: 'continueErrorOutput' } })).first;
		},
		expected: { arrived: 49, missing: 1 },
		check: ({ execution }) => {
			expect(execution.json(sender, 0)).toHaveLength(49);
			expect(execution.json(sender, 1)).toMatchObject([{ error: 'Out of order' }]);
		},
	},
];

const listRows = (['$now', '$execution.id'] as const).map(
	(name, index): Row => ({
		what: `Retry with the ${index ? 'currently saved' : 'original'} workflow, a parameter with ${name}`,
		runs,
		play: async (play) => {
			script(play, { 20: [reject] });
			const { first } = await run(play, { varying: varying[name] });
			return await play.stage.n8n.retry(first.id, { isCurrent: index === 1 });
		},
		expected: { arrived: 50 },
		check: expectAll,
	}),
);

const editRows: Row[] = [
	{
		what: 'Retry with the currently saved workflow after an edit of the template name',
		runs,
		play: async (play) => {
			script(play, { 20: [reject] });
			const { id, first } = await run(play, { template: 'order_updaet' });
			await play.stage.replace(id, play.send({ template: 'order_update' }));
			return await play.stage.n8n.retry(first.id, { isCurrent: true });
		},
		expected: { arrived: 50 },
		check: (outcome) => {
			expectAll(outcome);
			const templates = outcome.stage.service.arrivals.map(({ body }) => body.templateName);
			expect(templates.at(-1)).toBe('order_update');
		},
	},
	{
		what: 'Retry after the key in the credential was changed for a new one of the same account',
		runs,
		play: async (play) => {
			script(play, { 20: [reject] });
			const account = await play.stage.anotherAccount();
			const { first } = await run(play, { account });
			await play.stage.changeKey(account);
			return await play.stage.n8n.retry(first.id);
		},
		expected: { arrived: 50 },
		check: expectAll,
	},
];

const repeatedRows: Row[] = [
	{
		what: 'three retries of the same failed execution, with the original and the current workflow in turn, $now',
		runs,
		play: async (play) => {
			script(play, { 20: [reject, reject], 40: [reject] });
			const { first } = await run(play, { varying: varying.$now });
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
];

/** After the cut nothing new starts, so what came of the other items depends on what was in flight. */
const expectUnknown = (outcome: { execution: Execution; stage: Stage }) => {
	expect(outcome.execution.status).toBe('error');
	expect(outcome.execution.error?.context?.data?.outcome).toBe('unknown');
	expect(outcome.stage.service.arrivals.length).toBeLessThanOrEqual(25);
};

const nothingTwice: Row['expected'] = ({ twice, unknown }) => {
	expect({ twice, unknown }).toEqual({ twice: 0, unknown: 1 });
};

const unknownRows: Row[] = [
	{
		what: 'connection cut after processing, Retry On Fail, $now',
		runs,
		play: async (play) => {
			script(play, { 20: [cutAfter] });
			return (await run(play, { extra: retrying, varying: varying.$now })).first;
		},
		expected: nothingTwice,
		check: expectUnknown,
	},
	{
		what: 'connection cut after processing, then two retries with continue on fail',
		runs,
		play: async (play) => {
			script(play, { 20: [cutAfter], 40: [reject] });
			const { id, first } = await run(play);
			const extra = { onError: 'continueRegularOutput' as const };
			await play.stage.replace(id, play.send({ extra }));
			await play.stage.n8n.retry(first.id, { isCurrent: true });
			return await play.stage.n8n.retry(first.id, { isCurrent: true });
		},
		expected: { arrived: 50, unknown: 1 },
		check: ({ all }) => {
			expect(all[20]).toMatchObject({ arrived: 1, told: 'unknown' });
		},
	},
	{
		what: 'connection cut before processing, then Retry with Send Again If Unsure and $now',
		runs,
		play: async (play) => {
			script(play, { 20: [cutBefore] });
			const { id, first } = await run(play, { varying: varying.$now });
			const settings = { varying: varying.$now, own: { resendUnknown: true } };
			await play.stage.replace(id, play.send(settings));
			return await play.stage.n8n.retry(first.id, { isCurrent: true });
		},
		expected: { arrived: 50 },
		check: expectAll,
	},
];

playRows(
	'retries',
	[...failingRows, ...listRows, ...editRows, ...repeatedRows, ...unknownRows],
	() => stage,
);

test('another account chosen between the tries: only the rest goes through it', async () => {
	const { service, n8n, account } = stage;
	const play = { stage, send: stage.ours };
	script(play, { 20: [reject] });
	const other = await stage.anotherAccount();
	const { id, first } = await run(play);
	await stage.replace(id, stage.ours({ account: other }));
	expectAll({ execution: await n8n.retry(first.id, { isCurrent: true }), stage });
	expect(service.arrivals.map(({ recipient }) => recipient).sort()).toEqual(recipients);
	const accounts = new Set(service.arrivals.map(({ key }) => key));
	expect(accounts).toEqual(new Set([account.key, other.key]));
});
