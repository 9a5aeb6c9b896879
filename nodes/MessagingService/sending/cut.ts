import { uniq } from 'lodash';
import { fingerprint } from './identity';
import { inRowOrder, isChunk, type Job } from './job';
import type { Results } from './results';
import type { SendLog } from './sendLog';
import { marked, twofold } from './store';

/**
 * What earlier tries make of a list that is known as a whole: it is the `same`; it is another one, but
 * each item `hasKey` in all tries; or it is `other` than in an earlier try, or `otherOfKey` than in
 * whatever execution had its key.
 */
export type Cut = 'same' | 'hasKey' | 'other' | 'otherOfKey';

/**
 * Notes how this try has cut its list, and tells whether an earlier try that this execution does not
 * know all of has cut it otherwise: then the same places and chunks may stand for other people.
 *
 * @param key of a campaign: it is cut the same way in all executions that have it
 * @throws Failure when n8n's database refuses
 */
export async function cutOf(
	log: SendLog,
	{ saved, round }: Results,
	jobs: Job[],
	key: string | undefined,
): Promise<Cut> {
	const { name, isRetry, marks } = log.tries;
	const all = inRowOrder(jobs);
	const whom = all.map(({ source }) => source?.to);
	const campaigns = all.map(({ campaign }) => campaign);
	const hasKeys = !jobs.some((job) => isChunk(job) || (job.source && job.key === undefined));
	// The same people, and for them the same input or the same that is sent; of a campaign its template.
	const prints = [
		all.map(({ input }) => input),
		all.map(({ source, campaign }) => campaign ?? source?.content),
	].map((what) => fingerprint(whom, what));
	// A key stands for whatever they are sent, unless it is that of several campaigns.
	const ofKey = [fingerprint(whom, uniq(campaigns).length > 1 ? campaigns : [])];

	const cut = async (list: string, same: string[], isAsked: boolean): Promise<Cut> => {
		const known = round.cuts[list] ?? 0;
		return await log.turn(async (row) => {
			for (let number = known, isSame = true, isKeyed = hasKeys; ; number++) {
				const mark = `${list} ${number}`;
				const own = same.map((print) => `${mark} ${print}`);
				const keyed = `${mark} keyed`;
				const isThere = isAsked && (await marked(row, [mark])).size > 0;
				if (!isThere) {
					await row.note(twofold([mark, ...own, ...(hasKeys ? [keyed] : [])]));
					if (number === known) round.cuts[list] = number + 1;
					return isSame ? 'same' : 'hasKey';
				}
				const before = await marked(row, [...own, keyed]);
				isSame &&= own.some((print) => before.has(print));
				isKeyed &&= before.has(keyed);
				if (!isSame && !isKeyed) return 'other';
			}
		});
	};

	// After single sends nothing tells which of them the list holds, and after a list that was refused
	// nothing tells which of the later ones went out before.
	const { refusedIn = round.number } = saved;
	const isTold = round.number <= refusedIn && !marks.has('sends') && !marks.has('forgetful');
	const own = isTold ? await cut(`${name} list ${round.number}`, prints, isRetry) : 'other';
	if (own === 'other') saved.refusedIn ??= round.number;
	else if (refusedIn === round.number) delete saved.refusedIn;
	const shared = key === undefined ? 'same' : await cut(`list of ${key}`, ofKey, true);
	return own === 'same' && shared === 'other' ? 'otherOfKey' : own;
}
