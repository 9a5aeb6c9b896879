import '../../support/core/shortWaits';
import fc from 'fast-check';
import { chunk, countBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { FakeExecution, FakeNode, lost, type FakeRun } from '../../support/unit/fakeNode';
import { campaign, messageOf } from '../../support/unit/fakeOperations';
import { rejected, reportsOf } from '../../support/unit/sends';

/*
 * Histories of one execution and its retries, drawn: kills at any write or request, databases that fail, credentials
 * and options that cannot be read, Max Sends, Retry On Fail, retries of any failed attempt and of the same one several
 * times, changed lists, loops, keys that are added, changed and removed, equal messages, emails to several addresses,
 * times in the text, campaigns that are divided differently. HISTORIES=10000 draws more of them, HISTORIES_SEED others.
 */

const attempt = fc.record({
	/** Which failed attempt is retried; a crashed execution starts over where there is none. */
	from: fc.option(fc.nat(4), { freq: 2 }),
	change: fc.constantFrom('same', 'same', 'front', 'front and stamped', 'shorter', 'reversed'),
	/** With Retry On Fail, whether the expressions of the node name the recipients in another order the second time. */
	again: fc.option(fc.constantFrom('same', 'exchanged'), { freq: 2 }),
	isStamped: fc.boolean(),
	perRound: fc.nat(4),
	size: fc.integer({ min: 1, max: 4 }),
	goesOn: fc.boolean(),
	/** Where keys change between attempts. */
	key: fc.constantFrom('', 'a', 'b'),
	diesAt: fc.option(fc.nat(40)),
	failsAt: fc.option(fc.nat(20), { freq: 6 }),
	invalid: fc.constantFrom('', '', '', '', 'credential', 'option'),
	maxSends: fc.oneof(
		{ weight: 3, arbitrary: fc.constant(undefined) },
		fc.integer({ min: 1, max: 9 }),
	),
});

const history = fc.record({
	kind: fc.constantFrom('message', 'email', 'campaign'),
	rows: fc.array(
		fc.record({
			to: fc.nat(6),
			isPing: fc.boolean(),
			and: fc.option(fc.nat(6), { freq: 3 }),
			template: fc.constantFrom('', 'a', 'b'),
		}),
		{ minLength: 1, maxLength: 9 },
	),
	keys: fc.constantFrom('never', 'always', 'changing'),
	fates: fc.array(fc.constantFrom('accept', 'accept', 'accept', 'reject', 'lose', 'miss'), {
		minLength: 1,
		maxLength: 30,
	}),
	attempts: fc.array(attempt, { minLength: 2, maxLength: 6 }),
});

type History = typeof history extends fc.Arbitrary<infer Drawn> ? Drawn : never;

interface Row {
	/** What the recipient wants once; equal ones are wanted as often as the list has them. */
	truth: string;
	to: string;
	template?: string;
}

interface Failed {
	execution: FakeExecution;
	rounds: Row[][];
	at: number;
	isUsed: boolean;
}

const operations = {
	message: messageOf('phone', 'text'),
	email: messageOf('to', 'text'),
	campaign,
};

const audienceOf = (to: string): string => to.split(', ').sort().join();

class World {
	private readonly entries = new Set<string>();
	private readonly first = new FakeExecution();
	private readonly failed: Failed[] = [];
	private readonly arrived = new Map<string, number>();
	private readonly wanted = new Map<string, number>();
	private readonly lost = new Set<string>();
	private list: Row[];
	private rows = 0;
	private requests = 0;
	/** Recipients reached so far, as Max Sends counts them. */
	private reached = 0;
	private hasCrashed = false;
	/** Whether only lost requests can be unknown so far. */
	private isCalm = true;
	/** Whether an attempt was retried twice: the second retry does not know what the first one sent. */
	private isForked = false;

	constructor(private readonly drawn: History) {
		this.list = drawn.rows.map((row) => this.rowOf(row));
	}

	private rowOf({ to, isPing, and, template }: History['rows'][number]): Row {
		const all = this.drawn.kind === 'email' && and !== null ? [to, and] : [to];
		const recipients = [...new Set(all)].map((one) => `p${one}@host.example`).join(', ');
		const isRepeated = isPing && this.drawn.keys === 'never';
		const content = isRepeated ? `ping ${recipients}` : `text ${this.rows++}`;
		if (this.drawn.kind === 'campaign')
			return { truth: `${template} ${content}`, to: content, template };
		return { truth: content, to: this.drawn.kind === 'email' ? recipients : `p${to}` };
	}

	async attempt(step: History['attempts'][number], isFirst: boolean): Promise<void> {
		const { kind } = this.drawn;
		const from = step.from === null ? undefined : this.failed[step.from % this.failed.length];
		if (!isFirst && !from && !this.hasCrashed) return;
		if (from?.isUsed) [this.isForked, this.isCalm] = [true, false];
		if (from) from.isUsed = true;
		else if (!isFirst) this.list = this.changed(this.list, step.change);
		// Of a campaign that is cut otherwise all new chunks are unknown.
		const isCut = kind === 'campaign' && step.size !== this.drawn.attempts[0]?.size;
		if (step.isStamped || step.failsAt !== null || step.invalid !== '' || isCut)
			this.isCalm = false;
		const most = Math.max(this.reached, step.maxSends ?? Infinity);
		const perRound = step.perRound || this.list.length;
		const rounds = from?.rounds ?? chunk(this.list, perRound);
		const execution = isFirst ? this.first : (from?.execution.retried() ?? this.first.afterCrash());
		let writes = 0;
		const node = new FakeNode({
			entries: this.entries,
			diesAt: step.diesAt ?? undefined,
			onWrite: () => {
				// Longer than the node repeats a write.
				if (step.failsAt !== null && writes++ >= step.failsAt) throw new Error('Locked');
			},
			respond: (body) => this.respond(body),
			onLast: (body) => this.arrive(body),
		});
		for (let at = from?.at ?? 0; at < rounds.length; at++) {
			let output: Awaited<ReturnType<FakeNode['tried']>>;
			for (const change of ['same', ...(step.again === null ? [] : [step.again])]) {
				const rows = (rounds[at] = this.changed(rounds[at] ?? [], change));
				if (kind === 'campaign' && change !== 'same') this.isCalm = false;
				for (const [truth, times] of Object.entries(countBy(rounds.flat(), 'truth')))
					this.wanted.set(truth, Math.max(times, this.wanted.get(truth) ?? 0));
				const run = { ...this.runOf(step, rows, at), execution };
				output = await node.tried(operations[kind], run);
				if (output === undefined) {
					this.hasCrashed = true;
					this.isCalm = false;
					return;
				}
				this.judge(output, rows);
				// A crash loses the count of earlier rounds.
				if (!this.hasCrashed && !this.isForked) expect(this.reached).toBeLessThanOrEqual(most);
				if (Array.isArray(output)) break;
			}
			if (!Array.isArray(output)) {
				this.failed.push({ execution, rounds, at, isUsed: false });
				return;
			}
		}
		await execution.end();
	}

	/** A round of an attempt. */
	private runOf(step: History['attempts'][number], rows: Row[], at: number): FakeRun {
		const { kind, keys } = this.drawn;
		const { maxSends, invalid } = step;
		const key = keys === 'changing' ? step.key : keys === 'always' ? 'a' : '';
		const stamp = step.isStamped ? ` at ${this.requests}` : '';
		return {
			items: rows.map(({ truth, to, template }) => ({
				phone: to,
				to,
				template,
				text: `${truth}|${stamp}`,
				key: `${key} ${kind === 'campaign' ? `round ${at}` : truth}`,
			})),
			parameters: {
				phone: '={{ $json.phone }}',
				to: '={{ $json.to }}',
				text: '={{ $json.text }}',
				options: {
					batching: { batch: { batchSize: step.size } },
					chunkSize: step.size,
					...(maxSends && { maxSends }),
					...(invalid === 'option' && { timeout: 'soon' }),
					...(key && { idempotencyKey: '={{ $json.key }}' }),
				},
			},
			...(invalid === 'credential' && { credential: { baseUrl: 'nowhere', apiKey: 'key' } }),
			continueOnFail: step.goesOn,
			runIndex: at,
		};
	}

	private changed(list: Row[], how: string): Row[] {
		const fresh = () => this.rowOf({ to: this.rows % 7, isPing: false, and: null, template: '' });
		if (how.startsWith('front')) return [fresh(), fresh(), ...list];
		if (how === 'shorter') return list.slice(1 + (list.length > 3 ? 1 : 0));
		if (how === 'reversed') return list.toReversed();
		// A send at the same place to the same recipient counts as the same, whatever its text.
		const exchanged = how === 'exchanged' ? list.toReversed() : list;
		const isMoved = ({ truth, to }: Row, n: number) => {
			const earlier = list[n];
			return truth === earlier?.truth || audienceOf(to) !== audienceOf(earlier?.to ?? '');
		};
		return exchanged.every(isMoved) ? exchanged : list;
	}

	private truthsIn({ text, phones, template = '' }: IDataObject): string[] {
		if (text !== undefined) return [String(text).split('|')[0] ?? ''];
		return (phones as string[]).map((phone) => `${String(template)} ${phone}`);
	}

	private arrive(body: IDataObject): void {
		this.reached += ((body.phones as string[]) ?? String(body.to ?? body.phone).split(', ')).length;
		for (const truth of this.truthsIn(body))
			this.arrived.set(truth, (this.arrived.get(truth) ?? 0) + 1);
	}

	private respond(body: IDataObject): unknown {
		if (body.text === undefined && body.phones === undefined) return { messages: [], total: 0 };
		const { fates } = this.drawn;
		const fate = fates[this.requests++ % fates.length];
		if (fate === 'reject') return rejected;
		if (fate !== 'miss') this.arrive(body);
		if (fate === 'accept') return {};
		for (const truth of this.truthsIn(body)) this.lost.add(truth);
		return lost();
	}

	private judge(output: Awaited<ReturnType<FakeNode['tried']>>, rows: Row[]): void {
		for (const [truth, times] of this.arrived)
			expect([truth, times <= (this.wanted.get(truth) ?? 0)]).toEqual([truth, true]);
		if (output === undefined) return;
		const isUnique = ({ truth }: Row) => !truth.includes('ping');
		const sentIn = ({ truth }: Row) => this.arrived.get(truth) ?? 0;
		const accepted: Row[] = [];
		for (const { json, of } of reportsOf(output)) {
			const details = json.details as IDataObject | undefined;
			const all = of.flatMap((item) => rows[item] ?? []);
			const isAccepted = json.error === undefined;
			if (isAccepted) accepted.push(...all);
			for (const row of all.filter(isUnique)) {
				const isTrue = isAccepted
					? sentIn(row) > 0
					: details?.outcome === 'unknown'
						? !this.isCalm || this.lost.has(row.truth)
						: this.isForked || sentIn(row) === 0;
				expect([row.truth, json, isTrue]).toEqual([row.truth, json, true]);
			}
		}
		for (const [truth, times] of Object.entries(countBy(accepted, 'truth')))
			expect([truth, times <= (this.arrived.get(truth) ?? 0)]).toEqual([truth, true]);
		const { description = '' } = output instanceof Error ? output : {};
		if (description.includes('This node sent nothing.') && !this.isForked)
			expect(rows.filter((row) => isUnique(row) && sentIn(row) > 0)).toEqual([]);
	}
}

test('nobody is reached twice and every report is true, whatever is killed, retried or changed', async () => {
	await fc.assert(
		fc.asyncProperty(history, async (drawn) => {
			const world = new World(drawn);
			for (const [n, step] of drawn.attempts.entries()) await world.attempt(step, n === 0);
		}),
		{
			seed: Number(process.env.HISTORIES_SEED ?? 1),
			numRuns: Number(process.env.HISTORIES ?? 300),
		},
	);
});
