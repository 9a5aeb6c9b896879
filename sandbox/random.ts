import { createHash } from 'node:crypto';
import { unsafeUniformIntDistribution, xoroshiro128plus, type RandomGenerator } from 'pure-rand';

/**
 * A reproducible stream of random values. Every purpose has its own stream, so that drawing from one
 * never shifts another.
 */
export class SeededRandom {
	private readonly generator: RandomGenerator;

	constructor(seed: number, purpose: string) {
		const digest = createHash('sha256').update(`${purpose}:${seed}`).digest();
		this.generator = xoroshiro128plus(digest.readInt32BE());
	}

	hex(bytes: number): string {
		const all = Array.from({ length: bytes }, () => this.integer(0, 255));
		return Buffer.from(all).toString('hex');
	}

	uuid(): string {
		return this.hex(16).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-');
	}

	/** A string of digits without a leading zero. */
	digits(count: number): string {
		let text = String(this.integer(1, 9));
		while (text.length < count) text += String(this.integer(0, 9));
		return text;
	}

	/** A whole number from `min` to `max`, both included. */
	integer(min: number, max: number): number {
		return unsafeUniformIntDistribution(min, max, this.generator);
	}
}
