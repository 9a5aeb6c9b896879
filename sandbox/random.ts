import { createHash } from 'node:crypto';

/** A stream of random values that is the same for the same seed. */
export class SeededRandom {
	private drawn = 0;

	constructor(private readonly seed: number) {}

	/** At most 32 bytes. */
	hex(bytes: number): string {
		const text = `${this.seed}:${this.drawn++}`;
		return createHash('sha256')
			.update(text)
			.digest('hex')
			.slice(0, 2 * bytes);
	}

	uuid(): string {
		return this.hex(16).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-');
	}

	/** A string of digits without a leading zero. */
	digits(count: number): string {
		return BigInt(`0x${this.hex(32)}`)
			.toString()
			.slice(0, count);
	}
}
