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
		return this.bytes(bytes).toString('hex');
	}

	uuid(): string {
		const bytes = this.bytes(16);
		bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
		bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
		return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
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

	private bytes(count: number): Buffer {
		return Buffer.from(Array.from({ length: count }, () => this.integer(0, 255)));
	}
}
