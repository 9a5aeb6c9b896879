import type { IExecuteFunctions } from 'n8n-workflow';
import { fingerprint } from './identity';
import type { Ledger } from './ledger';

/** Accepted sends that are noted together. */
const blockSize = 500;

/** Runs up to this size note each send: there, one changed item does not put others in doubt. */
const leastRun = 2_000;

/** Sends of a run that are noted together. */
interface Block {
	number: number;
	indices: number[];
}

/**
 * Keeps the notes of a large run small: as soon as a whole block of it is accepted, two entries stand
 * for all of its sends, so that the cost of a write does not grow with the run.
 */
export class Blocks {
	private readonly accepted = new Map<number, number>();

	private readonly full: number[] = [];

	/** Blocks of a run of `count` sends; undefined for a run that needs none. */
	static of(parts: BlockParts): Blocks | undefined {
		return parts.count > leastRun ? new Blocks(parts) : undefined;
	}

	private constructor(private readonly parts: BlockParts) {}

	/** Says that a send was accepted, and that this is noted. */
	add(index: number): void {
		const number = Math.floor(index / blockSize);
		const accepted = (this.accepted.get(number) ?? 0) + 1;
		this.accepted.set(number, accepted);
		if (accepted === this.lengthOf(number)) this.full.push(number);
	}

	/** Notes the blocks that have become full; gives their sends and what stands for them now. */
	async close(): Promise<{ indices: number[]; entries: string[] }> {
		const full = this.full.splice(0).map((number) => this.block(number));
		const entries = full.flatMap((block) => [this.filled(block), this.print(block)]);
		if (entries.length > 0) await this.parts.ledger.note(this.parts.context, entries);
		return { indices: full.flatMap(({ indices }) => indices), entries };
	}

	/**
	 * Finds the blocks that earlier tries have filled. A block whose input has changed since is in
	 * doubt: which of its sends are the same is not known.
	 */
	async find(): Promise<Array<Block & { fate: 'accepted' | 'unknown' }>> {
		const { context, ledger, count, prefix } = this.parts;
		const all = Array.from({ length: Math.ceil(count / blockSize) }, (_, n) => this.block(n));
		const looked = `looked ${prefix}`;
		const before = await ledger.note(context, [
			looked,
			...all.flatMap((block) => [this.filled(block), this.print(block)]),
		]);
		const found = all.filter((block) => before.has(this.filled(block)));
		const useless = all.flatMap((block) => [this.filled(block), this.print(block)]);
		await ledger.strike(context, [looked, ...useless.filter((entry) => !before.has(entry))]);
		return found.map((block) => ({
			...block,
			fate: before.has(this.print(block)) && !before.has(looked) ? 'accepted' : 'unknown',
		}));
	}

	private block(number: number): Block {
		const start = number * blockSize;
		const length = this.lengthOf(number);
		return { number, indices: Array.from({ length }, (_, place) => start + place) };
	}

	private lengthOf(number: number): number {
		return Math.min(blockSize, this.parts.count - number * blockSize);
	}

	private filled({ number }: Block): string {
		return `filled ${this.parts.prefix} ${number}`;
	}

	private print({ number, indices }: Block): string {
		const ids = indices.map((index) => this.parts.idOf(index));
		return `block ${this.parts.prefix} ${number} ${fingerprint(ids)}`;
	}
}

/** What blocks are made from. */
export interface BlockParts {
	context: IExecuteFunctions;
	ledger: Ledger;
	/** Sends of the run. */
	count: number;
	/** What is the same in all tries of the run. */
	prefix: string;
	idOf(index: number): string;
}
