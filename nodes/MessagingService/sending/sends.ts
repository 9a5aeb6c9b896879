import { countBy } from 'lodash';
import { contentOf, fingerprint, recipientOf } from './identity';
import { inRowOrder, isChunk, type Job } from './plan';
import type { Results, Source } from './results';
import type { Send } from './sendLog';

/** How the sends of a run are known. */
export interface Identity {
	/** What is the same in all tries of the execution. */
	name: string;
	account: string;
	results: Results;
	/** Fingerprint of input items. */
	inputOf(items: number[]): string;
	/** Whether the list is known as a whole. */
	isWhole: boolean;
}

/**
 * By what other tries know the sends of a run: whom they reach, and their input or what is sent
 * (docs/contract.md, section 4.3). Equal ones are counted over the whole execution.
 */
export function sendsOf(jobs: Job[], identity: Identity): Send[] {
	const { name, account, results, inputOf, isWhole } = identity;
	const numbering = results.numbering();
	// In short, because n8n saves them: from an input, the input for somebody, a content, the rows of a chunk.
	const numbered = (text: string) => {
		const number = numbering(text);
		return { id: `${name} ${text} ${number}`, number };
	};
	const contents = countBy(jobs, ({ source }) => source?.content);
	let place = 0;
	const sendOf = (job: Job): Send => {
		const { items, plan, source } = job;
		const key = keyOf(job, account);
		if (isChunk(job)) return { ids: [numbered(`r${source?.to}`).id], key };
		if (isWhole) {
			if (!source) return { ids: [] };
			return { ids: [`${name} ${results.round.number} at ${place}`], place: place++, key };
		}
		const from = numbered(`f${inputOf(items)}`).id;
		if (!source) return { ids: [], from };
		const { to, input, content } = source;
		const byInput = numbered(`i${fingerprint(to, input)}`);
		const byContent = numbered(`c${content}`);
		// Of equal items only the input tells which is which: what is sent may have a time in it. And of
		// files that look the same only the input tells, too.
		const isClear = byInput.number === 1 && !(plan?.file && (contents[content] ?? 0) > 1);
		return { ids: isClear ? [byInput.id, byContent.id] : [byInput.id], to, from, key };
	};
	const sends = new Map(inRowOrder(jobs).map((job) => [job, sendOf(job)]));
	return jobs.map((job) => sends.get(job) ?? { ids: [] });
}

/** By what other executions know a job; of a campaign each chunk for itself. */
function keyOf(job: Job, account: string): string | undefined {
	const { key, source } = job;
	if (key === undefined) return undefined;
	return `key ${account} ${key}${isChunk(job) ? ` ${source?.to}` : ''}`;
}

/** What a job is made from; undefined for one that cannot be made. */
export function sourceOf(
	{ items, plan, facts }: Job,
	account: string,
	inputOf: (items: number[]) => string,
): Source | undefined {
	if (!plan) return undefined;
	const { request, file, recipients } = plan;
	const to = fingerprint(account, recipients ?? recipientOf(request));
	const content = fingerprint(to, contentOf(request, file));
	return { input: inputOf(items), to, content, ...(facts ? { facts } : {}) };
}
