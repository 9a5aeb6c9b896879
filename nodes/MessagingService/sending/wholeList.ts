import { uniq } from 'lodash';
import { fingerprint } from './identity';
import { inRowOrder, isChunk, type Job } from './plan';
import type { Fate, Send, SendLog } from './sendLog';
import { knownIn, withOpen, type Known, type Row } from './store';

/** Longer lists of single sends are known as a whole: n8n's row is written anew at every note. */
const longest = 2_000;

/** Whether a run's list is known as a whole: one that is long, or the chunks of a campaign. */
export const isKnownAsWhole = (jobs: Job[]): boolean =>
	jobs.some(isChunk) || jobs.filter(({ source }) => source).length > longest;

/** What was another list before: that of the execution, or that of the key. */
export type OtherList = 'execution' | 'key';

/**
 * Notes how this try has cut its list, and tells whether an earlier try that this execution does not
 * know all of has cut it otherwise: then the same places and chunks may stand for other people.
 *
 * @param key of a campaign: it is cut the same way in all executions that have it
 * @param isResent whether this try goes on with another list, too
 * @throws Failure when n8n's database refuses
 */
export async function otherList(
	log: SendLog,
	jobs: Job[],
	key: string | undefined,
	isResent: boolean,
): Promise<OtherList | undefined> {
	const { results, name, isRetry } = log.parts;
	const { saved, round } = results;
	const all = inRowOrder(jobs);
	const whom = all.map(({ source }) => source?.to);
	const campaigns = all.map(({ campaign }) => campaign);
	// The same people, and for them the same input or the same that is sent; of a campaign its template.
	const prints = [
		all.map(({ source }) => source?.input),
		all.map(({ source }, index) => campaigns[index] ?? source?.content),
	].map((what) => fingerprint(whom, what));
	// A key stands for whatever they are sent, unless it is that of several campaigns.
	const keyed = [fingerprint(whom, uniq(campaigns).length > 1 ? campaigns : [])];
	const own = `${name} list ${round.number}`;
	const isSameIn = async (list: string, of: string[], isAsked: boolean) =>
		await isSameCut(log, list, of, isAsked, isResent);
	const isSame = saved.isRefused !== true && (await isSameIn(own, prints, isRetry));
	// Nothing tells any more which of the later lists went out before.
	if (!isSame) saved.isRefused = true;
	const isSameKeyed = key === undefined || (await isSameIn(`list of ${key}`, keyed, true));
	if (!isSame) return 'execution';
	return isSameKeyed ? undefined : 'key';
}

/** A question that is cut short leaves the cautious answer behind. Throws Failure. */
async function isSameCut(
	log: SendLog,
	list: string,
	prints: string[],
	isAsked: boolean,
	isResent: boolean,
): Promise<boolean> {
	const { cuts } = log.parts.results.round;
	const first = cuts[list] ?? 0;
	// After single sends nothing tells which of them the list holds.
	let isSame = !log.parts.isMixed && !log.parts.isForgetful;
	for (let number = first; ; number++) {
		const cut = `${list} ${number}`;
		const same = prints.map((print) => `${cut} ${print}`);
		const asking = isAsked ? [`asking ${cut}`] : [];
		const before = await log.turn(async (row) => {
			const there = await row.note([...asking, cut, ...same]);
			const useless = there.has(cut) ? [...asking, ...same] : asking;
			await row.strike(useless.filter((entry) => !there.has(entry)));
			return there;
		});
		if (!before.has(cut)) {
			if (number === first) cuts[list] = number + 1;
			return isSame;
		}
		isSame &&=
			same.some((entry) => before.has(entry)) && !asking.some((entry) => before.has(entry));
		if (!isSame && !isResent) return false;
	}
}

/** Sends that are noted together once all of them have ended: what a kill amid a question puts in doubt. */
const blockSize = 100;

/** Sends in blocks with failures that are noted one by one; of further blocks nothing is known then. */
const mostKept = 5_000;

/**
 * The log of a list that is too long to note every send of it for good: n8n's row is written anew at
 * every note. Its sends are known by their places, so the list has to be the same in every try; and as
 * soon as a whole block of them has been accepted, one entry stands for all of its places.
 */
export class WholeList {
	private readonly blocks = new Map<number, Block>();

	private kept = 0;

	/**
	 * @param name of the list, the same in all tries
	 * @param isRetry whether an earlier try may have noted something
	 */
	constructor(
		private readonly name: string,
		private readonly isRetry: boolean,
	) {}

	/** Adds what is known of the blocks that sends lie in; throws Failure. */
	async find(row: Row, sends: Send[], known: Map<Send, Known>): Promise<void> {
		const numbers = uniq(sends.map(blockOf)).filter((number) => !this.blocks.has(number));
		const asked = this.isRetry ? withOpen(numbers.map((number) => this.idOf(number))) : [];
		const before = asked.length > 0 ? await row.note(asked) : new Set<string>();
		await row.strike(asked.filter((entry) => !before.has(entry)));
		for (const number of numbers) {
			const known = knownIn(before, [this.idOf(number)]);
			this.blocks.set(number, { known, left: blockSize, accepted: [] });
		}
		for (const send of sends) known.set(send, this.blocks.get(blockOf(send))?.known ?? 'new');
	}

	/** Lets one entry stand for each block that ends with these sends; throws Failure. */
	async end(row: Row, sends: Array<[Send, Fate | Known | undefined]>): Promise<void> {
		for (const [send, fate] of sends) {
			const block = this.blocks.get(blockOf(send));
			if (!block || fate === 'new' || block.known !== 'new') continue;
			if (fate === 'accepted') block.accepted.push(...send.ids);
			else block.isMixed = true;
			if (--block.left > 0) continue;
			if (block.isMixed) this.kept += block.accepted.length;
			if (block.isMixed && this.kept <= mostKept) continue;
			const id = this.idOf(blockOf(send));
			await row.note(block.isMixed ? withOpen([id]) : [id]);
			await row.strike(block.accepted);
		}
	}

	private idOf(block: number): string {
		return `${this.name} block ${block}`;
	}
}

interface Block {
	/** What an earlier try has noted of it as a whole. */
	known: Known;
	/** Sends of it that have not ended. */
	left: number;
	/** What is noted of its accepted sends. */
	accepted: string[];
	isMixed?: boolean;
}

const blockOf = ({ place = 0 }: Send): number => Math.floor(place / blockSize);
