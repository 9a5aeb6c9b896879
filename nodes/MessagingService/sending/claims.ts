import { Failure, failureOr } from '../api/failure';
import { Blocks } from './blocks';
import type { ClaimPlan } from './claimPlan';
import { accepted, inDoubt, looked, openEntries, taken, type Accepted, type Open } from './entries';
import type { Fate, Ledger, Row } from './ledger';

/** Accepted sends whose entries are shortened together. */
const longestTail = 250;

/** What the ledger knows of a send. */
export type Claim = 'new' | 'accepted' | 'unknown' | { busy: Promise<Fate> };

/**
 * Claims the sends of one run in blocks before they go out, and notes what became of them
 * (docs/contract.md, section 4.3 and 4.5).
 *
 * Every write that only looks leaves the cautious answer behind, if the process is killed before it
 * is taken back: in doubt, never accepted.
 */
export class Claims {
	private readonly open = new Map<number, Open>();

	private readonly known = new Map<number, Claim>();

	/** Sends that are sent again although they are in doubt. */
	private readonly resumed = new Set<number>();

	/** Sends about which the ledger has been asked. */
	private readonly noted = new Set<number>();

	/** Position in `order` of the first send that is not claimed. */
	private next = 0;

	/** Claims that are not started. */
	private left = 0;

	private block: Promise<void> | undefined;

	/** Accepted sends whose acceptance is not noted yet. */
	private readonly fresh: Accepted[] = [];

	/** Accepted sends of which one entry is enough from now on. */
	private readonly shortened: Accepted[] = [];

	/** Sends that did not go out and whose entries are to be taken back. */
	private readonly freed: Open[] = [];

	/** What stands in the ledger of this run, and is to be forgotten when nobody can ask for it. */
	private readonly all = new Set<string>();

	private blocks: Blocks | undefined;

	private isBegun = false;

	private idOf: (index: number) => string;

	constructor(
		private readonly ledger: Ledger,
		private readonly plan: ClaimPlan,
	) {
		const { context, idOf, prefix, count } = plan;
		this.idOf = idOf;
		this.blocks = plan.isKeyed ? undefined : Blocks.of({ context, ledger, count, prefix, idOf });
	}

	/**
	 * Claims a send; called in order.
	 *
	 * @throws Failure when it cannot be noted
	 */
	async claim(index: number): Promise<Claim> {
		while (!this.noted.has(index)) await (this.block ??= this.nextBlock());
		this.left--;
		this.claimAhead();
		return this.known.get(index) ?? 'new';
	}

	/** Claims a send that did not go out elsewhere, or one that is in doubt and is to be sent again. */
	async claimAgain(index: number, isResent = false): Promise<Claim> {
		if (isResent) this.resumed.add(index);
		this.known.delete(index);
		await this.note([index]);
		return this.known.get(index) ?? 'new';
	}

	/** Says what became of a claimed send; `unknown` leaves it in doubt. */
	settle(index: number, fate: Fate): void {
		const open = this.open.get(index);
		if (!open) return;
		// What was in doubt before it was sent again still is.
		const isUnknown = fate === 'unknown' || (fate === 'free' && this.resumed.has(index));
		if (isUnknown) return this.leave(index, 'unknown');
		// Others hear of it once the ledger says so, too.
		this.open.delete(index);
		if (fate === 'accepted') this.fresh.push({ ...open, index });
		else this.freed.push(open);
	}

	/** Ends the run: takes back what was not sent and shortens what was accepted. */
	async close(): Promise<void> {
		await this.block?.catch(() => {});
		for (const index of [...this.open.keys()]) this.settle(index, 'free');
		await this.flush();
	}

	/** Notes all that is settled, so that whoever waits for it hears of it. */
	async flush(): Promise<void> {
		this.shortened.push(...this.fresh.splice(0));
		await this.tidy();
	}

	/** Takes back what is of no use any more. */
	private async tidy(): Promise<void> {
		const shortened = this.shortened.splice(0);
		const freed = this.freed.splice(0);
		const useless = [
			...freed.flatMap(({ id }) => openEntries(id)),
			...shortened.flatMap(({ id }) => [inDoubt(id), accepted(id)]),
		];
		if (useless.length > 0) await this.ledger.strike(this.plan.context, useless);
		for (const open of freed) this.tell(open, 'free');
		for (const open of shortened) this.tell(open, 'accepted');
		this.ledger.release(shortened.map(({ id }) => taken(id)));
		await this.closeBlocks(shortened);
	}

	/** Lets two entries stand for each block of the run that is accepted as a whole. */
	private async closeBlocks(shortened: Accepted[]): Promise<void> {
		if (!this.blocks) return;
		for (const { index } of shortened) this.blocks.add(index);
		const { indices, entries: noted } = await this.blocks.close();
		if (indices.length === 0) return;
		for (const entry of noted) this.all.add(entry);
		const entries = indices.map((index) => taken(this.idOf(index)));
		await this.ledger.strike(this.plan.context, entries);
		for (const entry of entries) this.all.delete(entry);
	}

	/** Forgets a run that nobody can ask for any more; keys stay. */
	async forget(): Promise<void> {
		const isStopped = this.plan.context.getExecutionCancelSignal()?.aborted === true;
		// The execution that a retry was made from can be retried again.
		if (this.plan.fresh && !isStopped)
			await this.ledger.discard(this.plan.context, [...this.all, ...this.plan.ofRun]);
	}

	/** Notes the next sends while the last ones are under way, unless too many would be in doubt. */
	private claimAhead(): void {
		const { mostInDoubt, order } = this.plan;
		if (this.block || this.left > 0 || this.next >= order.length) return;
		if (this.open.size >= mostInDoubt) return;
		this.block = this.nextBlock();
		// Whoever needs the block hears of its failure.
		this.block.catch(() => {});
	}

	/** Before the first claim of a large run: what earlier tries have noted in blocks. */
	private async begin(): Promise<void> {
		if (this.isBegun || !this.blocks) return;
		this.isBegun = true;
		for (const { indices, fate } of await this.blocks.find()) {
			for (const index of indices) this.give(index, fate);
		}
	}

	/** Says what is known of a send before it is claimed. */
	private give(index: number, fate: Claim): void {
		this.known.set(index, fate);
		this.noted.add(index);
		this.left++;
	}

	private async nextBlock(): Promise<void> {
		try {
			await this.begin();
			const room = this.plan.mostInDoubt - this.open.size;
			const indices: number[] = [];
			let next = this.next;
			for (; next < this.plan.order.length && indices.length < Math.max(room, 1); next++) {
				const index = this.plan.order[next] ?? 0;
				if (this.known.has(index)) continue;
				if (this.ledger.knows(this.idOf(index))) this.give(index, 'accepted');
				else indices.push(index);
			}
			if (indices.length > 0) await this.note(indices);
			for (const index of indices) this.noted.add(index);
			this.next = next;
			this.left += indices.length;
		} finally {
			this.block = undefined;
		}
	}

	/** Notes sends as under way, and with them what was accepted meanwhile. */
	private async note(indices: number[]): Promise<void> {
		if (this.freed.length > 0 || this.shortened.length >= longestTail) await this.tidy();
		const own = indices.filter((index) => this.isOwn(index));
		const ids = own.map((index) => this.idOf(index));
		const done = this.fresh.splice(0);
		const entries = ids.flatMap(openEntries);
		const mark = this.all.size === 0 ? this.plan.fresh?.mark : undefined;
		const notes = [...done.map(({ id }) => accepted(id)), ...(mark === undefined ? [] : [mark])];
		const write = this.ledger.turn(this.plan.context, async (row) => {
			const before = await row.note(notes, entries);
			const earlier = own.filter((index) => before.has(taken(this.idOf(index))));
			for (const index of own) if (!earlier.includes(index)) this.resumed.delete(index);
			if (earlier.length === 0) return true;
			const isOwnTry = mark === undefined || before.has(mark);
			if (isOwnTry) await this.resolve(row, earlier, before);
			else await this.stepAside(row, own, before);
			return isOwnTry;
		});
		if (mark !== undefined) this.all.add(mark);
		for (const id of ids) this.all.add(taken(id));
		const isDone = await failureOr(write);
		if (isDone instanceof Failure) {
			this.fresh.unshift(...done);
			for (const index of own) this.end(index, 'free');
			this.ledger.release(entries);
			throw isDone;
		}
		this.ledger.release(done.flatMap(({ id }) => openEntries(id)));
		for (const open of done) this.tell(open, 'accepted');
		this.shortened.push(...done);
		if (!isDone) await this.note(indices);
	}

	/** Leaves what was noted to the execution that it belongs to. */
	private async stepAside(row: Row, indices: number[], before: Set<string>): Promise<void> {
		for (const index of indices) this.end(index, 'free');
		const entries = indices.flatMap((index) => openEntries(this.idOf(index)));
		await row.strike(entries.filter((entry) => !before.has(entry)));
		this.ledger.release(entries);
		this.all.clear();
		this.blocks = undefined;
		this.idOf = this.plan.fresh?.ownIdOf ?? this.idOf;
	}

	/** Finds out what became of sends that were taken before. */
	private async resolve(row: Row, indices: number[], before: Set<string>): Promise<void> {
		const doubtful: number[] = [];
		for (const index of indices) {
			if (before.has(inDoubt(this.idOf(index)))) doubtful.push(index);
			else this.settle(index, 'accepted');
			this.known.set(index, 'accepted');
		}
		if (doubtful.length === 0) return;
		const ids = doubtful.map((index) => this.idOf(index));
		const asked = ids.flatMap((id) => [looked(id), accepted(id)]);
		const found = await row.note(asked);
		const isAccepted = (id: string) => found.has(accepted(id)) && !found.has(looked(id));
		for (const index of doubtful) {
			const fate = isAccepted(this.idOf(index)) ? 'accepted' : 'unknown';
			this.known.set(index, fate);
			if (fate === 'accepted' || !this.resumed.has(index)) this.leave(index, fate);
			// It stays claimed: nobody else sends it again meanwhile.
			else this.known.delete(index);
		}
		await row.strike([...asked, ...ids.filter(isAccepted).map(inDoubt)]);
	}

	/** Begins a send, unless another run of this process has it under way. */
	private isOwn(index: number): boolean {
		const id = this.idOf(index);
		const busy = this.plan.waits ? this.ledger.underWay.get(id) : undefined;
		if (busy) this.known.set(index, { busy });
		else this.start(index, id);
		return busy === undefined;
	}

	private start(index: number, id: string): void {
		let settled: (fate: Fate) => void = () => {};
		const fate = new Promise<Fate>((resolve) => (settled = resolve));
		this.ledger.underWay.set(id, fate);
		this.open.set(index, { id, settled });
	}

	/** Ends a send for all who wait for it. */
	private end(index: number, fate: Fate): void {
		const open = this.open.get(index);
		if (!open) return;
		this.open.delete(index);
		this.tell(open, fate);
	}

	/** Ends a send whose entries are repeated no more. */
	private leave(index: number, fate: Fate): void {
		this.end(index, fate);
		this.ledger.release(openEntries(this.idOf(index)));
	}

	private tell({ id, settled }: Open, fate: Fate): void {
		if (fate === 'accepted' && this.plan.isKeyed) this.ledger.remember(id);
		this.ledger.underWay.delete(id);
		settled(fate);
	}
}
