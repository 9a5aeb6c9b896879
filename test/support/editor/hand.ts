import type { Locator } from 'playwright-core';

/** Clicks, and fields that were filled in by typing or files that were chosen. */
interface Effort {
	clicks: number;
	entries: number;
}

/** A person's hand in a browser: does what it is told and counts it. */
export class Hand {
	/** What the task takes, without what was done by mistake. */
	readonly plain: Effort = { clicks: 0, entries: 0 };
	private readonly mistakes: Effort = { clicks: 0, entries: 0 };
	private counted = this.plain;

	/** What the task and the mistake took together. */
	get all(): Effort {
		const { plain, mistakes } = this;
		return {
			clicks: plain.clicks + mistakes.clicks,
			entries: plain.entries + mistakes.entries,
		};
	}

	/** Does what nobody does who makes no mistake. */
	async mistakenly(work: () => Promise<void>): Promise<void> {
		this.counted = this.mistakes;
		await work();
		this.counted = this.plain;
	}

	async click(target: Locator): Promise<void> {
		await target.click();
		this.counted.clicks++;
	}

	async type(target: Locator, text: string): Promise<void> {
		await target.fill(text);
		this.counted.entries++;
	}

	async chooseFile(
		target: Locator,
		file: { name: string; mimeType: string; text: string },
	): Promise<void> {
		const { name, mimeType, text } = file;
		await target.setInputFiles({ name, mimeType, buffer: Buffer.from(text) });
		this.counted.entries++;
	}
}
