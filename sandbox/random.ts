import { createCipheriv, createHash, type Cipher } from 'node:crypto';

const block = Buffer.alloc(4096);

/**
 * A reproducible stream of random values: the keystream of a cipher keyed with seed and purpose.
 * Every purpose has its own stream, so that drawing from one never shifts another.
 */
export class SeededRandom {
	private readonly cipher: Cipher;

	private block = Buffer.alloc(0);

	private used = 0;

	constructor(seed: number, purpose: string) {
		const key = createHash('sha256').update(`${purpose}:${seed}`).digest();
		this.cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
	}

	hex(bytes: number): string {
		return this.bytes(bytes).toString('hex');
	}

	uuid(): string {
		const bytes = this.bytes(16);
		bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
		bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
		const hex = bytes.toString('hex');
		return [
			hex.slice(0, 8),
			hex.slice(8, 12),
			hex.slice(12, 16),
			hex.slice(16, 20),
			hex.slice(20),
		].join('-');
	}

	/** A string of digits without a leading zero. */
	digits(count: number): string {
		let text = String(this.integer(1, 9));
		while (text.length < count) text += String(this.integer(0, 9));
		return text;
	}

	/** A whole number from `min` to `max`, both included. */
	integer(min: number, max: number): number {
		return min + Math.floor(this.fraction() * (max - min + 1));
	}

	/** A number from 0 up to, but not including, 1. */
	fraction(): number {
		return this.bytes(4).readUInt32BE() / 2 ** 32;
	}

	private bytes(count: number): Buffer {
		if (this.used + count > this.block.length) {
			this.block = this.cipher.update(block);
			this.used = 0;
		}
		this.used += count;
		return this.block.subarray(this.used - count, this.used);
	}
}
