import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { IExecuteFunctions } from 'n8n-workflow';
import { Claims, type Claim } from '../../../nodes/MessagingService/sending/claims';
import { Ledger, type Fate } from '../../../nodes/MessagingService/sending/ledger';
import { FakeStore } from '../../support/unit/fakeStore';

/** Sends that a crash may leave in doubt (docs/contract.md, section 4.3). */
const mostInDoubt = 25;

/** When a process is killed: instead of its next write after so many, or before its next send. */
interface Kill {
	writes?: number;
	sends?: number;
}

const gone = new Promise<never>(() => {});

/** One try of a run, in a process of its own. */
class Try {
	readonly claims: Claim[] = [];

	readonly sent: number[] = [];

	/** Most entries that the row had before a call. */
	mostEntries = 0;

	private writes = 0;

	private isDead = false;

	private killed = () => {};

	/** @param entries the row of the node */
	constructor(
		private readonly entries: string[],
		private readonly count: number,
		private readonly fateOf: (index: number) => Fate,
		private readonly kill: Kill = {},
		private readonly isChanged: (index: number) => boolean = () => false,
	) {}

	/** Calls to the database. */
	get calls(): number {
		return this.writes;
	}

	/** Runs until its end or its death. */
	async run(isFresh: boolean): Promise<void> {
		const dead = new Promise<void>((resolve) => (this.killed = resolve));
		await Promise.race([this.send(isFresh), dead]);
	}

	private async die(): Promise<never> {
		this.isDead = true;
		this.killed();
		return await gone;
	}

	private async send(isFresh: boolean): Promise<void> {
		const store = new FakeStore(async () => {
			this.mostEntries = Math.max(this.mostEntries, this.entries.length);
			if (this.isDead || this.writes++ >= (this.kill.writes ?? Infinity)) await this.die();
		}, this.entries);
		const context = store.context('workflow', randomUUID());
		const claims = new Claims(Ledger.of(context) as Ledger, {
			context,
			order: Array.from({ length: this.count }, (_, index) => index),
			count: this.count,
			prefix: 'run',
			idOf: (index) => `run ${index}${this.isChanged(index) ? ' changed' : ''}`,
			mostInDoubt,
			isKeyed: false,
			waits: !isFresh,
			fresh: isFresh ? { mark: 'mark', ownIdOf: (index) => `own ${index}` } : undefined,
			ofRun: [],
		});
		for (let index = 0; index < this.count; index++) {
			const claim = await claims.claim(index);
			this.claims[index] = claim;
			if (claim !== 'new') continue;
			if (this.sent.length >= (this.kill.sends ?? Infinity)) await this.die();
			this.sent.push(index);
			claims.settle(index, this.fateOf(index));
		}
		await claims.close();
	}
}

const kill = fc.oneof(
	fc.record({ writes: fc.nat(12) }),
	fc.record({ sends: fc.nat(150) }),
	fc.constant({}),
);

test('no history of tries and kills sends twice, takes for accepted what was not, or doubts more than 25 per kill', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 150 }),
			fc.array(kill, { minLength: 1, maxLength: 3 }),
			fc.array(fc.constantFrom<Fate>('accepted', 'accepted', 'accepted', 'free', 'unknown')),
			async (count, kills, fates) => {
				const entries: string[] = [];
				const fateOf = (index: number) => fates[index] ?? 'accepted';
				const arrivals = new Map<number, number>();
				const doubts = (claims: Claim[]) => claims.filter((claim) => claim === 'unknown').length;
				const unknown = fates.slice(0, count).filter((fate) => fate === 'unknown').length;
				for (const [number, one] of [...kills, {}].entries()) {
					const attempt = new Try(entries, count, fateOf, one);
					await attempt.run(number === 0);
					for (const index of attempt.sent) {
						if (fateOf(index) === 'free') continue;
						arrivals.set(index, (arrivals.get(index) ?? 0) + 1);
					}
					const accepted = attempt.claims.flatMap((claim, index) =>
						claim === 'accepted'
							? [{ index, fate: fateOf(index), times: arrivals.get(index) }]
							: [],
					);
					expect(accepted.filter(({ fate, times }) => fate !== 'accepted' || times !== 1)).toEqual(
						[],
					);
					expect(doubts(attempt.claims)).toBeLessThanOrEqual(mostInDoubt * number + unknown);
				}
				expect([...arrivals.values()].every((times) => times === 1)).toBe(true);
			},
		),
		{
			seed: Number(process.env.HISTORIES_SEED ?? 1),
			numRuns: Number(process.env.HISTORIES ?? 300),
		},
	);
});

test('a run that nobody killed leaves one entry for each accepted send, two for each in doubt', async () => {
	const entries: string[] = [];
	await new Try(entries, 300, (index) => (index % 100 === 7 ? 'unknown' : 'accepted')).run(true);
	expect(entries).toHaveLength(1 + 300 + 3);
	const again = new Try(entries, 300, () => 'accepted');
	await again.run(false);
	expect(again.sent).toEqual([]);
	expect(again.claims.filter((claim) => claim === 'unknown')).toHaveLength(3);
	expect(entries).toHaveLength(1 + 300 + 3);
});

test('what did not go out leaves nothing', async () => {
	const entries: string[] = [];
	await new Try(entries, 60, () => 'free').run(true);
	expect(entries).toEqual(['mark']);
});

describe('a large run', () => {
	test('keeps two entries for each block of it, by which every try knows it', async () => {
		const entries: string[] = [];
		const first = new Try(entries, 2_001, () => 'accepted');
		await first.run(true);
		expect(entries).toHaveLength(1 + 2 * 5);
		const again = new Try(entries, 2_001, () => 'accepted');
		await again.run(false);
		expect(again.sent).toEqual([]);
		expect(again.claims).toEqual(Array(2_001).fill('accepted'));
		// It has looked, and taken back what it looked for.
		expect(again.calls).toBe(2);
		expect(entries).toHaveLength(1 + 2 * 5);
	});

	test('sends what is in no block, and doubts a block that has changed', async () => {
		const entries: string[] = [];
		await new Try(entries, 2_001, (index) => (index === 700 ? 'free' : 'accepted')).run(true);
		const again = new Try(
			entries,
			2_001,
			() => 'accepted',
			{},
			(index) => index === 1_200,
		);
		await again.run(false);
		expect(again.sent).toEqual([700]);
		const unknown = again.claims.flatMap((claim, index) => (claim === 'unknown' ? [index] : []));
		expect([unknown.length, unknown[0], unknown.at(-1)]).toEqual([500, 1_000, 1_499]);
		expect(entries).toHaveLength(1 + 2 * 5);
	});

	test('has few entries more than sends meanwhile', async () => {
		const run = new Try([], 1_000, () => 'accepted');
		await run.run(true);
		expect(run.mostEntries).toBeLessThanOrEqual(1_000 + 2 * (250 + 2 * mostInDoubt));
	});
});

describe('sends with keys', () => {
	const fates: Fate[] = ['accepted', 'unknown', 'free'];

	/** Runs sends of three fates in one process, and gives their claims. */
	async function runOf(context: IExecuteFunctions, isKeyed: boolean): Promise<Claim[]> {
		const claims = new Claims(Ledger.of(context) as Ledger, {
			context,
			order: [0, 1, 2],
			count: 3,
			prefix: 'run',
			idOf: (index) => `key ${index}`,
			mostInDoubt,
			isKeyed,
			waits: true,
			ofRun: [],
		});
		const all: Claim[] = [];
		for (const [index, fate] of fates.entries()) {
			const claim = await claims.claim(index);
			all.push(claim);
			if (claim === 'new') claims.settle(index, fate);
		}
		await claims.close();
		return all;
	}

	test.each([
		{ isKeyed: true, asked: ['key 1', 'key 2'] },
		{ isKeyed: false, asked: ['key 0', 'key 1', 'key 2'] },
	])('are not asked for again once accepted: $isKeyed', async ({ isKeyed, asked }) => {
		const store = new FakeStore();
		const context = store.context('workflow', randomUUID());
		expect(await runOf(context, isKeyed)).toEqual(['new', 'new', 'new']);
		const { length } = store.calls;
		expect(await runOf(context, isKeyed)).toEqual(['accepted', 'unknown', 'new']);
		const [, entries] = store.calls[length] ?? [];
		expect(entries?.filter((entry) => entry.startsWith('taken'))).toEqual(
			asked.map((id) => `taken ${id}`),
		);
	});

	test('need no write where all are known', async () => {
		const store = new FakeStore();
		const context = store.context('workflow', randomUUID());
		const ledger = Ledger.of(context) as Ledger;
		for (const index of fates.keys()) ledger.remember(`key ${index}`);
		expect(await runOf(context, true)).toEqual(['accepted', 'accepted', 'accepted']);
		expect(store.calls).toEqual([]);
	});
});
