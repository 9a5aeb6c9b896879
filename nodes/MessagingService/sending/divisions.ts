import type { IExecuteFunctions } from 'n8n-workflow';
import type { Ledger } from './ledger';

/** Digits of the largest number of rows that a request holds. */
const places = 5;

/** What a try has noted of how it divided rows among requests. */
export interface Noted {
	/** Rows per request at most; undefined if that cannot be told any more. */
	size: number | undefined;
	/** Whether its requests were those of this fingerprint. */
	isFrom(print: string): Promise<boolean>;
}

/**
 * How each try of a run has divided rows among requests, noted before its first one. By it a retry
 * that divides them otherwise finds what earlier tries have sent (docs/contract.md, section 4.3).
 *
 * The ledger cannot be read, only be asked what it holds; so a size is noted digit by digit.
 */
export class Divisions {
	/**
	 * @param prefix what is the same in all tries of the run
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly ledger: Ledger,
		private readonly prefix: string,
	) {}

	/**
	 * Notes a division under the first number that is free; throws Failure.
	 *
	 * @param from the lowest number that can be free
	 * @param print fingerprint of the requests
	 * @returns its number, and the entries that stand for it
	 */
	async note(
		from: number,
		size: number,
		print: string,
	): Promise<{ number: number; entries: string[] }> {
		return await this.ledger.turn(this.context, async (row) => {
			for (let number = from; ; number++) {
				const name = this.nameOf(number);
				const digits = [...String(size).padStart(places, '0')];
				const entries = [name, `${name} ${print}`, ...digits.map(digitIn(name))];
				const before = await row.note(entries);
				if (!before.has(name)) return { number, entries };
				await row.strike(entries.filter((entry) => !before.has(entry)));
			}
		});
	}

	/** What was noted under a number; undefined if nothing was. Throws Failure. */
	async read(number: number): Promise<Noted | undefined> {
		const name = this.nameOf(number);
		const digits = Array.from({ length: places }, (_, place) =>
			[...'0123456789'].map((digit) => ({ digit, entry: digitIn(name)(digit, place) })),
		);
		const found = await this.ask(name, [name, ...digits.flat().map(({ entry }) => entry)]);
		if (found && !found.has(name)) return undefined;
		const size = digits.map((all) => all.filter(({ entry }) => found?.has(entry)));
		return {
			size: size.every(({ length }) => length === 1)
				? Number(size.map(([one]) => one?.digit).join(''))
				: undefined,
			isFrom: async (print) => {
				const entry = `${name} ${print}`;
				return (await this.ask(name, [entry]))?.has(entry) === true;
			},
		};
	}

	/**
	 * Asks which entries of a division are noted.
	 *
	 * @returns undefined if an earlier question was cut short: it may have left entries behind
	 */
	private async ask(name: string, entries: string[]): Promise<Set<string> | undefined> {
		const looked = `looked ${name}`;
		return await this.ledger.turn(this.context, async (row) => {
			const before = await row.note([looked, ...entries]);
			await row.strike([looked, ...entries].filter((entry) => !before.has(entry)));
			return before.has(looked) ? undefined : before;
		});
	}

	/** What a division is called in the ledger. */
	nameOf(number: number): string {
		return `division ${this.prefix} ${number}`;
	}
}

const digitIn =
	(name: string) =>
	(digit: string, place: number): string =>
		`${name} ${place} ${digit}`;
