import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { Claims, type Claim } from '../../../nodes/MessagingService/sending/claims';
import type { ClaimPlan } from '../../../nodes/MessagingService/sending/claimPlan';
import { Ledger, type Fate } from '../../../nodes/MessagingService/sending/ledger';
import { FakeStore } from '../../support/unit/fakeStore';

const turns = async (): Promise<void> => {
	for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
};

/** A node in one process, and the row that it notes in. */
class Node {
	readonly store: FakeStore;

	private readonly id = randomUUID();

	constructor(entries: string[] = []) {
		this.store = new FakeStore(undefined, entries);
	}

	context(store = this.store, signal?: AbortSignal): IExecuteFunctions {
		const context = store.context('workflow', this.id);
		return Object.assign(context, { getExecutionCancelSignal: () => signal });
	}

	get ledger(): Ledger {
		return Ledger.of(this.context()) as Ledger;
	}

	/** Claims of a run of three sends, unless something else is said. */
	claims(plan: Partial<ClaimPlan> = {}): Claims {
		const count = plan.count ?? 3;
		return new Claims(this.ledger, {
			context: this.context(),
			order: Array.from({ length: count }, (_, index) => index),
			count,
			prefix: 'run',
			idOf: (index) => `run ${index}`,
			mostInDoubt: 25,
			isKeyed: false,
			waits: true,
			ofRun: [],
			...plan,
		});
	}

	/** What the row holds, once what is of no use has been removed. */
	async left(): Promise<string[]> {
		await this.ledger.strike(this.context(), ['nothing']);
		return [...this.store.entries].sort();
	}

	notes(): string[][] {
		return this.store.calls.filter(([kind]) => kind === 'note').map(([, entries]) => entries);
	}
}

const fresh = (mark: string) => ({
	waits: false,
	fresh: { mark, ownIdOf: (index: number) => `own ${index}` },
});

/** The promise of a claim that is to be waited for. */
function busyOf(claim: Claim): Promise<Fate> {
	if (typeof claim === 'string') throw new Error(`Not busy, but ${claim}`);
	return claim.busy;
}

describe('a send that another run of the process has under way', () => {
	/** Two runs, the first of which has claimed the send that the second one waits for. */
	async function both(plan: Partial<ClaimPlan> = {}) {
		const node = new Node();
		const first = node.claims({ mostInDoubt: 1, ...plan });
		expect(await first.claim(0)).toBe('new');
		const second = node.claims({ count: 1 });
		const busy = busyOf(await second.claim(0));
		const heard: Fate[] = [];
		void busy.then((fate) => heard.push(fate));
		return { node, first, second, heard };
	}

	test.each([
		['accepted', ['accepted']],
		['free', ['free']],
	] as const)('is heard of as %s once that is noted', async (fate, told) => {
		const { first, heard } = await both();
		first.settle(0, fate);
		await turns();
		expect(heard).toEqual([]);
		expect(await first.claim(1)).toBe('new');
		await turns();
		expect(heard).toEqual(told);
		await first.close();
	});

	test.each(['accepted', 'free'] as const)('is heard of as %s at the end of it', async (fate) => {
		const { first, heard } = await both();
		first.settle(0, fate);
		await first.close();
		await turns();
		expect(heard).toEqual([fate]);
	});

	test('is heard of at once as in doubt, and as free if it was never sent', async () => {
		const { first, heard } = await both();
		first.settle(0, 'unknown');
		await turns();
		expect(heard).toEqual(['unknown']);
		const never = await both();
		await never.first.close();
		await turns();
		expect(never.heard).toEqual(['free']);
	});

	test('is claimed again if it did not go out, and is noted as any other', async () => {
		const { node, first, second } = await both();
		first.settle(0, 'free');
		await first.close();
		expect(await second.claimAgain(0)).toBe('new');
		expect(node.store.entries).toEqual(expect.arrayContaining(['taken run 0', 'in doubt run 0']));
		second.settle(0, 'accepted');
		await second.close();
		expect(await node.left()).toEqual(['taken run 0']);
		expect(await node.claims().claim(0)).toBe('accepted');
	});

	test('is claimed again in vain where a third run was quicker', async () => {
		const { node, first, second } = await both();
		first.settle(0, 'free');
		await first.close();
		const third = node.claims();
		expect(await third.claim(0)).toBe('new');
		const again = await second.claimAgain(0);
		third.settle(0, 'accepted');
		await third.close();
		expect(await busyOf(again)).toBe('accepted');
		expect(await second.claimAgain(0)).toBe('accepted');
	});

	test('is waited for, too, where it is in doubt and sent again', async () => {
		const { node, first } = await both();
		first.settle(0, 'unknown');
		await first.close();
		const resending = node.claims();
		expect(await resending.claim(0)).toBe('unknown');
		expect(await resending.claimAgain(0, true)).toBe('new');
		const busy = busyOf(await node.claims().claim(0));
		resending.settle(0, 'accepted');
		await resending.close();
		expect(await busy).toBe('accepted');
		expect(await new Node(node.store.entries).claims().claim(0)).toBe('accepted');
	});

	test('is sent again by one of two runs that both want it', async () => {
		const { node, first } = await both();
		first.settle(0, 'unknown');
		await first.close();
		const [one, other] = [node.claims(), node.claims()];
		expect([await one.claim(0), await other.claim(0)]).toEqual(['unknown', 'unknown']);
		const claims = [one.claimAgain(0, true), other.claimAgain(0, true)];
		expect(await claims[0]).toBe('new');
		const busy = busyOf((await claims[1]) ?? 'new');
		one.settle(0, 'accepted');
		await one.close();
		expect(await busy).toBe('accepted');
		const third = node.claims();
		expect(await third.claimAgain(0, true)).toBe('accepted');
	});

	test('stays in doubt if it is rejected when it is sent again, but not if it was free', async () => {
		const { node, first } = await both();
		first.settle(0, 'unknown');
		await first.close();
		const resending = node.claims();
		expect(await resending.claimAgain(0, true)).toBe('new');
		resending.settle(0, 'free');
		expect(await resending.claimAgain(1, true)).toBe('new');
		resending.settle(1, 'free');
		await resending.close();
		const last = node.claims();
		expect(await last.claim(0)).toBe('unknown');
		expect(await last.claim(1)).toBe('new');
	});

	test('is free for others where the database refuses to note it', async () => {
		const node = new Node();
		const refusing = new FakeStore(() => {
			throw new Error('disk full');
		}, node.store.entries);
		const first = node.claims({ context: node.context(refusing) });
		const failed = expect(first.claim(0)).rejects.toThrow('disk full');
		const second = node.claims();
		const claim = await second.claim(0);
		await failed;
		expect(await busyOf(claim)).toBe('free');
		expect(await second.claimAgain(0)).toBe('new');
		// What was not noted is not repeated either.
		expect(node.notes().at(-1)).not.toContain('taken run 1');
	});
});

describe('an execution that began in the same millisecond as another one', () => {
	const ofOther = ['mark of other', 'taken run 0', 'in doubt run 0'];

	test('leaves alone what the other has noted, and has notes of its own', async () => {
		const node = new Node([...ofOther]);
		const claims = node.claims(fresh('mark'));
		expect(await claims.claim(0)).toBe('new');
		const ids = ['own 0', 'own 1', 'own 2'];
		const own = ids.flatMap((id) => [`taken ${id}`, `in doubt ${id}`]);
		expect(node.store.entries).toEqual([...ofOther, 'mark', ...own].sort(byFirst(node)));
		// Only what is its own is repeated while it is under way.
		expect(node.notes().at(-1)).not.toContain('taken run 0');
		await node.ledger.note(node.context(), ['x']);
		expect(node.notes().at(-1)).toEqual([...own, 'x']);
		claims.settle(0, 'accepted');
		await claims.close();
		await claims.forget();
		expect(await node.left()).toEqual([...ofOther, 'x'].sort());
	});

	test('tells whoever waits for a send of the other that it does not have it', async () => {
		const node = new Node([...ofOther]);
		const stepping = node.claims(fresh('mark'));
		const retry = node.claims();
		const [mine, other] = await Promise.all([stepping.claim(0), retry.claim(0)]);
		expect(mine).toBe('new');
		expect(await busyOf(other)).toBe('free');
		expect(await retry.claimAgain(0)).toBe('unknown');
	});
});

/** The order in which a row got its entries. */
const byFirst =
	({ store }: Node) =>
	(a: string, b: string) =>
		store.entries.indexOf(a) - store.entries.indexOf(b);

describe('a run', () => {
	test('is forgotten as a whole, also where n8n cannot say that it was stopped', async () => {
		for (const signal of [undefined, new AbortController().signal]) {
			const node = new Node();
			const context = node.context(node.store, signal);
			const claims = node.claims({
				...fresh('mark'),
				context,
				ofRun: ['of run'],
				mostInDoubt: 1,
			});
			await node.ledger.note(context, ['of run', 'key']);
			for (const index of [0, 1, 2]) {
				await claims.claim(index);
				claims.settle(index, 'accepted');
			}
			await claims.close();
			expect(await node.left()).toHaveLength(2 + 1 + 3);
			await claims.forget();
			expect(await node.left()).toEqual(['key']);
			expect(node.store.calls.at(-1)?.[1]).toEqual([
				'nothing',
				'mark',
				...[0, 1, 2].map((index) => `taken run ${index}`),
				'of run',
			]);
		}
	});

	test('is kept where it was stopped, and where it is a retry', async () => {
		const stopped = AbortSignal.abort();
		for (const plan of [{ ...fresh('mark'), signal: stopped }, {}]) {
			const node = new Node();
			const { signal, ...others } = plan as typeof plan & { signal?: AbortSignal };
			const claims = node.claims({ ...others, context: node.context(node.store, signal) });
			await claims.claim(0);
			claims.settle(0, 'accepted');
			await claims.close();
			await claims.forget();
			expect(await node.left()).toContain('taken run 0');
		}
	});

	test('settles what it has claimed, and that once', async () => {
		const node = new Node();
		const claims = node.claims();
		await claims.claim(0);
		claims.settle(0, 'accepted');
		claims.settle(0, 'free');
		claims.settle(7, 'accepted');
		await claims.close();
		expect(await node.left()).toEqual(['taken run 0']);
	});

	test('takes back at once what did not go out', async () => {
		const node = new Node();
		const claims = node.claims({ mostInDoubt: 1 });
		await claims.claim(0);
		claims.settle(0, 'free');
		await claims.claim(1);
		expect(node.store.entries).toEqual(['taken run 1', 'in doubt run 1']);
	});

	test('repeats in its writes what is under way, and nothing else', async () => {
		const node = new Node();
		const claims = node.claims({ mostInDoubt: 1, count: 5 });
		for (const fate of ['accepted', 'unknown', 'accepted'] as const) {
			const index = node.notes().length;
			await claims.claim(index);
			claims.settle(index, fate);
		}
		await claims.claim(3);
		const last = node.notes().at(-1);
		expect(last).toEqual(expect.arrayContaining(['taken run 3', 'in doubt run 3']));
		for (const index of [0, 1]) expect(last).not.toContain(`taken run ${index}`);
		// Nor what it has found to be known.
		const other = new Node([...node.store.entries]);
		const again = other.claims({ count: 3 });
		for (const index of [0, 1, 2]) await again.claim(index);
		await again.close();
		await other.ledger.note(other.context(), ['x']);
		expect(other.notes().at(-1)).toEqual(['x']);
	});

	test('shortens what was accepted together, and looks for blocks once', async () => {
		const node = new Node();
		const claims = node.claims({ count: 2_001 });
		for (let index = 0; index < 100; index++) {
			await claims.claim(index);
			claims.settle(index, 'accepted');
		}
		const strikes = node.store.calls.filter(([kind]) => kind === 'strike');
		expect(strikes).toHaveLength(1);
		expect(node.notes().filter((entries) => entries.includes('looked run'))).toHaveLength(1);
		await claims.close();
	});

	test('asks once about what is known to be accepted', async () => {
		const node = new Node(['taken run 0', 'taken run 1', 'taken run 2']);
		const claims = node.claims();
		for (const index of [0, 1, 2]) expect(await claims.claim(index)).toBe('accepted');
		expect(node.notes()).toHaveLength(1);
	});
});

describe('the sends that come next', () => {
	/** Claims the first sends of a run, settles some of them, and counts the writes. */
	async function writes(claimed: number, settled: number, count: number): Promise<number> {
		const node = new Node();
		const claims = node.claims({ mostInDoubt: 10, count });
		for (let index = 0; index < claimed; index++) {
			await claims.claim(index);
			if (index < settled) claims.settle(index, 'accepted');
		}
		await turns();
		const { length } = node.notes();
		await claims.close();
		return length;
	}

	test.each([
		['while the last ones are under way', 10, 9, 2],
		['not before those', 9, 9, 1],
		['not while too many are in doubt', 10, 0, 1],
	])('are noted %s', async (_, claimed, settled, expected) => {
		expect(await writes(claimed, settled, 30)).toBe(expected);
	});

	test('are noted as long as there are some', async () => {
		expect(await writes(10, 9, 10)).toBe(1);
	});
});

test('a look that was cut off puts in doubt what it was about, and nothing else', async () => {
	const node = new Node();
	for (const index of [0, 1]) {
		await node.ledger.note(
			node.context(),
			['taken', 'in doubt', 'accepted'].map((one) => `${one} run ${index}`),
		);
	}
	const dying = new FakeStore(async () => {
		// The process ends before it takes back what it noted by looking.
		if (node.store.entries.includes('looked run 0')) await new Promise(() => {});
	}, node.store.entries);
	const other = new Node(node.store.entries);
	const cut = other.claims({ context: other.context(dying), order: [0], count: 1 });
	void cut.claim(0);
	await turns();
	expect(node.store.entries).toContain('looked run 0');
	const claims = new Node(node.store.entries).claims();
	expect([await claims.claim(0), await claims.claim(1)]).toEqual(['unknown', 'accepted']);
});
