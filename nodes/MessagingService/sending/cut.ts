import { uniq } from 'lodash';
import { fingerprint } from './identity';
import { inRowOrder, type Job } from './plan';
import type { Results } from './results';
import type { SendLog } from './sendLog';
import { marked, twofold } from './store';

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
	{ saved, round }: Results,
	jobs: Job[],
	key: string | undefined,
	isResent: boolean,
): Promise<OtherList | undefined> {
	const { name, isRetry, kinds, isForgetful } = log.tries;
	const all = inRowOrder(jobs);
	const whom = all.map(({ source }) => source?.to);
	const campaigns = all.map(({ campaign }) => campaign);
	// The same people, and for them the same input or the same that is sent; of a campaign its template.
	const prints = [
		all.map(({ input }) => input),
		all.map(({ source, campaign }) => campaign ?? source?.content),
	].map((what) => fingerprint(whom, what));
	// A key stands for whatever they are sent, unless it is that of several campaigns.
	const keyed = [fingerprint(whom, uniq(campaigns).length > 1 ? campaigns : [])];

	const isSameCut = async (list: string, same: string[], isAsked: boolean): Promise<boolean> => {
		const known = round.cuts[list] ?? 0;
		return await log.turn(async (row) => {
			for (let number = known, isSame = true; ; number++) {
				const cut = `${list} ${number}`;
				const own = same.map((print) => `${cut} ${print}`);
				const isThere = isAsked && (await marked(row, [cut])).size > 0;
				if (!isThere) {
					await row.note(twofold([cut, ...own]));
					if (number === known) round.cuts[list] = number + 1;
					return isSame;
				}
				isSame &&= (await marked(row, own)).size > 0;
				if (!isSame && !isResent) return false;
			}
		});
	};

	// After single sends nothing tells which of them the list holds.
	const isTold = !saved.isRefused && !kinds.has('sends') && !isForgetful;
	const isSame = isTold && (await isSameCut(`${name} list ${round.number}`, prints, isRetry));
	// Nothing tells any more which of the later lists went out before.
	if (!isSame) saved.isRefused = true;
	const isSameKeyed = key === undefined || (await isSameCut(`list of ${key}`, keyed, true));
	if (!isSame) return 'execution';
	return isSameKeyed ? undefined : 'key';
}
