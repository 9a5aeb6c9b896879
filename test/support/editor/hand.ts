import type { Locator } from 'playwright-core';

/** A person's hand in a browser: does what it is told and counts it. */
export class Hand {
	clicks = 0;

	/** Fields that were filled in by typing, and files that were chosen. */
	entries = 0;

	async click(target: Locator): Promise<void> {
		await target.click();
		this.clicks++;
	}

	async type(target: Locator, text: string): Promise<void> {
		await target.fill(text);
		this.entries++;
	}

	async chooseFile(
		target: Locator,
		file: { name: string; mimeType: string; text: string },
	): Promise<void> {
		const { name, mimeType, text } = file;
		await target.setInputFiles({ name, mimeType, buffer: Buffer.from(text) });
		this.entries++;
	}
}
