import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { messagingService } from '../../../harness';
import {
	CrashingN8n,
	expectRecovered,
	keyed,
	patienceMs,
	retryCrashed,
	settings,
	type CrashPlay,
	type CrashRow,
} from '../../support/reliability/crashing';
import { tellRows, type Outcome } from '../../support/reliability/rows';
import { recipientsNode, sender } from '../../support/reliability/stage';

const what = 'kill -9 of n8n after 100 of 300';

/** The same with fewer items, where their number is not the point. */
const few = { what: 'kill -9 of n8n after 40 of 100', items: 100 };

interface Sending {
	id: string;
	executionId: string;
	start(): Promise<string>;
}

/** Starts a workflow that sends to all recipients, up to the moment at which n8n is killed. */
async function sendUntil(
	{ stage, send, recipients }: CrashPlay,
	{
		own = settings,
		underWay = Math.min(100, recipients.length * 0.4),
		saveExecutionProgress = false,
	} = {},
): Promise<Sending> {
	const { id, start } = await stage.production([recipientsNode(recipients), send(own)], {
		settings: { saveExecutionProgress },
	});
	const reached = stage.service.hold(recipients, underWay);
	const executionId = await start();
	await reached();
	return { id, executionId, start };
}

/** What is unknown is told with what the service's list shows for that number since then. */
function expectCandidates({ execution, arrivals, runs: [recipients = []] }: Outcome): void {
	const idOf = new Map(arrivals.map(({ recipient, id }) => [recipient, id]));
	for (const { json, pairedItem } of execution.output(sender)) {
		const details = json.details as IDataObject | undefined;
		if (details?.outcome !== 'unknown') continue;
		const candidates = (details.candidates ?? []) as IDataObject[];
		const id = idOf.get(recipients[(pairedItem as { item: number }).item] ?? '');
		expect(candidates.map(({ providerMessageId }) => providerMessageId)).toEqual(id ? [id] : []);
	}
}

const rows: CrashRow[] = [
	{
		what: `${what}, then Retry`,
		async *play(play) {
			const { executionId } = await sendUntil(play);
			yield;
			return await retryCrashed(play, executionId);
		},
		expected: expectRecovered,
		check: expectCandidates,
	},
	{
		...few,
		what: `${few.what}, then Retry with the currently saved workflow, a parameter with $now`,
		hasPeer: false,
		async *play(play) {
			const own = { ...settings, varying: '$now.toMillis()' };
			const { executionId } = await sendUntil(play, { own });
			yield;
			return await retryCrashed(play, executionId, true);
		},
		expected: expectRecovered,
	},
	{
		...few,
		what: `${few.what}, then Retry after an edit of the template name`,
		hasPeer: false,
		async *play(play) {
			const { id, executionId } = await sendUntil(play);
			yield;
			const edited = play.send({ ...settings, template: 'another_template' });
			await play.stage.replace(id, edited);
			return await retryCrashed(play, executionId, true);
		},
		expected: expectRecovered,
	},
	{
		what: `${what}, then Retry twice`,
		async *play(play) {
			const { executionId } = await sendUntil(play);
			yield;
			await retryCrashed(play, executionId);
			return await retryCrashed(play, executionId);
		},
		expected: expectRecovered,
	},
	...(['first execution', 'retry'] as const).map(
		(retried): CrashRow => ({
			what: `${what}, the retry killed after 100 more, then Retry of the ${retried}`,
			hasPeer: false,
			async *play(play) {
				const { executionId: first } = await sendUntil(play);
				yield;
				const reached = play.stage.service.hold(play.recipients, 100);
				const second = await play.n8n.startRetry(first);
				await reached();
				yield;
				return await retryCrashed(play, retried === 'retry' ? second : first);
			},
			expected: (counts) => expectRecovered(counts, 2),
		}),
	),
	{
		...few,
		what: `${few.what}, Save Execution Progress on, then Retry`,
		hasPeer: false,
		async *play(play) {
			const { executionId } = await sendUntil(play, { saveExecutionProgress: true });
			yield;
			return await retryCrashed(play, executionId);
		},
		expected: expectRecovered,
	},
	{
		what: 'kill -9 of n8n at the first send, then Retry',
		hasPeer: false,
		async *play(play) {
			const { executionId } = await sendUntil(play, { underWay: 1 });
			yield;
			return await retryCrashed(play, executionId);
		},
		expected: expectRecovered,
	},
	{
		...few,
		what: `${few.what}, then Retry (with keys)`,
		hasPeer: false,
		async *play(play) {
			const { executionId } = await sendUntil(play, { own: keyed });
			yield;
			return await retryCrashed(play, executionId);
		},
		expected: expectRecovered,
	},
	{
		what: `${what}, then a new execution (with keys)`,
		hasPeer: false,
		async *play(play) {
			const { start } = await sendUntil(play, { own: keyed });
			yield;
			return await play.n8n.waitForExecution(await start(), patienceMs);
		},
		expected: expectRecovered,
	},
	{
		...few,
		what: `${few.what}, then a new execution (without keys): sent afresh`,
		hasPeer: false,
		async *play(play) {
			const { start } = await sendUntil(play);
			yield;
			play.stage.service.forget(play.recipients);
			return await play.n8n.waitForExecution(await start(), patienceMs);
		},
		expected: { arrived: 100 },
	},
	{
		...few,
		what: `${few.what}, then two retries without continue on fail`,
		hasPeer: false,
		async *play(play) {
			const { executionId } = await sendUntil(play, { own: { ...settings, extra: {} } });
			yield;
			await retryCrashed(play, executionId);
			return await retryCrashed(play, executionId, true);
		},
		// It fails with the first unknown item, after all others were sent.
		expected: ({ twice, arrived }) => {
			expect(twice).toBe(0);
			expect(arrived).toBeGreaterThanOrEqual(75);
		},
		check: ({ execution, arrivals }) => {
			const { status, error } = execution;
			if (status === 'success') expect(arrivals).toHaveLength(100);
			else expect(error?.context?.data?.outcome).toBe('unknown');
		},
	},
	{
		...few,
		what: `${few.what}, then Retry after the first item's input has changed`,
		hasPeer: false,
		runs: (recipients) => [[changed(recipients), ...recipients.slice(1)]],
		async *play(play) {
			const { id, executionId } = await sendUntil(play);
			yield;
			const { recipients, stage } = play;
			const now = [changed(recipients), ...recipients.slice(1)];
			await stage.replace(id, recipientsNode(now));
			return await retryCrashed(play, executionId, true);
		},
		expected: expectRecovered,
		check: ({ arrivals, runs: [recipients = []] }) =>
			expect(arrivals.filter(({ recipient }) => recipient === recipients[0])).toHaveLength(1),
	},
];

/** A number that no other history sends to. */
const changed = ([first = '']: string[]): string => `1${first}`.slice(0, -1);

const otherSends: Record<string, INodeParameters> = {
	'voice calls': {
		resource: 'voiceCall',
		operation: 'create',
		to: '={{ $json.phone }}',
		text: '={{ $now.toISO() }}',
	},
	emails: {
		resource: 'email',
		operation: 'send',
		to: '={{ $json.phone }}@example.com',
		subject: '={{ $now.toISO() }}',
		html: '<p>Hello</p>',
	},
	'chat messages': {
		resource: 'chatMessage',
		operation: 'send',
		phone: '={{ $json.phone }}',
		message: '={{ $now.toISO() }}',
	},
	'media messages': {
		resource: 'chatMessage',
		operation: 'sendMedia',
		phone: '={{ $json.phone }}',
		mediaType: 'image',
		mediaUrl: 'https://host.example/image.png',
		caption: '={{ $now.toISO() }}',
	},
};

const otherRows = Object.entries(otherSends).map(
	([name, { ...parameters }]): CrashRow => ({
		what: `100 ${name} with $now, kill -9 of n8n after 40, then Retry`,
		items: 100,
		hasPeer: false,
		runs: (recipients) => [addresses(name, recipients)],
		async *play({ recipients, ...play }) {
			const { extra, options } = settings;
			const send = messagingService({ ...parameters, options }, play.stage.account.own, {
				name: sender,
				...extra,
			});
			const { start } = await play.stage.production([recipientsNode(recipients), send]);
			const reached = play.stage.service.hold(addresses(name, recipients), 40);
			const executionId = await start();
			await reached();
			yield;
			return await retryCrashed({ recipients, ...play }, executionId);
		},
		expected: expectRecovered,
	}),
);

const addresses = (name: string, recipients: string[]): string[] =>
	name === 'emails' ? recipients.map((phone) => `${phone}@example.com`) : recipients;

const inGoodOrder: CrashRow = {
	what: 'n8n is stopped in good order after 100 of 300, then Retry',
	async *play(play) {
		const { executionId } = await sendUntil(play);
		yield;
		return await retryCrashed(play, executionId);
	},
	expected: expectRecovered,
};

let crashing: CrashingN8n;

beforeAll(async () => {
	crashing = await CrashingN8n.open();
	await crashing.play([...rows, ...otherRows]);
	await crashing.play([inGoodOrder], 'SIGTERM');
}, patienceMs);

afterAll(async () => await crashing?.close());

tellRows('crashes', [...rows, ...otherRows, inGoodOrder], async (row, player) =>
	crashing.played(row, player),
);
