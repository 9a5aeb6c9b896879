import { unknownAdvice, Failure } from '../api/failure';
import type { Claim } from './claims';
import type { Noted } from './divisions';
import { rowsOf, sentJobs, toLeaveOut, type Earlier, type Jobs, type SentJob } from './plan';
import type { RunLedger } from './runLedger';

/** A run whose rows earlier tries may have divided otherwise. */
export interface Divided {
	planned: Jobs;
	earlier: Earlier;
	ledger: RunLedger;
	/** Plans the run without what was sent; in requests of another size if one is given. */
	plan(sent: SentJob[], size?: number): Promise<Jobs>;
}

/**
 * Leaves out of a run what earlier tries have sent according to the ledger: the division of each try
 * is made once more, and its requests are looked up (docs/contract.md, section 4.3).
 *
 * @returns the run planned anew. Where a division cannot be made any more, because the input or the
 * parameters have changed, nobody knows whom it reached: all requests are failures then
 */
export async function withoutSent(divided: Divided): Promise<Jobs> {
	const { planned, earlier, ledger, plan } = divided;
	const { divisions, isFresh } = ledger;
	if (isFresh || planned.size === undefined) return planned;
	const isOwn = (number: number) => earlier.memory.divisions.includes(divisions.nameOf(number));
	let first = 0;
	while (isOwn(first)) first++;
	if (!(await divisions.read(first))) return planned;
	const sent = sentJobs(earlier);
	// Each try has left out what those before it had sent, in whatever execution.
	const before: SentJob[] = [];
	for (let number = 0; ; number++) {
		const noted = await divisions.read(number);
		if (!noted) break;
		const known = await madeAgain(divided, before, noted);
		const some = known ? await found(known, number, ledger) : [];
		before.push(...some);
		if (isOwn(number)) continue;
		if (!known && !earlier.resendUnknown) return refused(planned);
		sent.push(...some);
	}
	return await plan(toLeaveOut(sent, earlier));
}

/** The requests of an earlier try; undefined if they cannot be made any more. */
async function madeAgain(
	{ plan, ledger }: Divided,
	sent: SentJob[],
	{ size, isFrom }: Noted,
): Promise<Jobs | undefined> {
	// The try may have had Resend Unknown turned on.
	for (const resendUnknown of [false, true]) {
		const jobs = await plan(toLeaveOut(sent, { resendUnknown }), size);
		if (await isFrom(ledger.printOf(jobs.jobs))) return jobs;
	}
	return undefined;
}

/** Those of the requests that went out or may have. */
async function found({ jobs }: Jobs, division: number, ledger: RunLedger): Promise<SentJob[]> {
	const claims = ledger.claimsOf(jobs, division);
	const sent: SentJob[] = [];
	try {
		for (const [index, job] of jobs.entries()) {
			if (!job.plan || job.claim) continue;
			// Never under way elsewhere in this process: runs that have the same rows take turns.
			const claim = (await claims.claim(index)) as Exclude<Claim, object>;
			if (claim === 'new') claims.settle(index, 'free');
			else sent.push({ ...job, claim, rows: rowsOf(job.place), isUnknown: claim === 'unknown' });
		}
	} finally {
		await claims.close();
	}
	return sent;
}

const refused = ({ jobs, ...others }: Jobs): Jobs => ({
	...others,
	jobs: jobs.map((job) => {
		const { plan, key } = job;
		if (!plan) return job;
		const message =
			key === undefined
				? 'An earlier try of this execution divided other recipients among its requests: whom it reached is not known'
				: `The key "${key}" was used before, for other recipients: whom they have in common with these is not known`;
		const description = `Set the input and the parameters back to what they were, then retry: what was sent is known then. ${unknownAdvice(plan.request)}`;
		const failure = new Failure(message, { outcome: 'unknown', description });
		return { ...job, plan: undefined, failure };
	}),
});
