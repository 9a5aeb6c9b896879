import fc from 'fast-check';
import type { SandboxControl } from '../../../sandbox';
import { patience, seed } from '../fuzz/runs';

/** How many histories of a list are drawn; HISTORIES tries more. */
export const runs = { seed, numRuns: Number(process.env.HISTORIES ?? 30) };

/** Milliseconds that so many may take on a busy machine. */
export const runsPatience = Math.max(patience, 5_000 * runs.numRuns);

/** Every order that a list of messages or calls may have. */
export const listOrder = fc.constantFrom('newestFirst', 'oldestFirst', 'byId');

/** Records that come into being after a page was read. */
interface Growth {
	/** Pages that are read before. */
	afterPages: number;
	count: number;
}

/** How a list grows while it is read; each page is followed by one growth at most. */
export const growths: fc.Arbitrary<Growth[]> = fc.uniqueArray(
	fc.record({ afterPages: fc.nat(5), count: fc.integer({ min: 1, max: 130 }) }),
	{ maxLength: 3, selector: ({ afterPages }) => afterPages },
);

/** Records that leave a list after a page was read, `count` from the one at `place`, a share of it. */
interface Leaving {
	afterPages: number;
	place: number;
	count: number;
}

/** How a list shrinks while it is read; each page is followed by one change at most. */
export const leavings: fc.Arbitrary<Leaving[]> = fc.uniqueArray(
	fc.record({
		afterPages: fc.nat(5),
		place: fc.double({ min: 0, max: 1, noNaN: true }),
		count: fc.integer({ min: 1, max: 130 }),
	}),
	{ maxLength: 3, selector: ({ afterPages }) => afterPages },
);

type Records = 'messages' | 'calls';

const paths: Record<Records, string> = {
	messages: '/chat/campaigns',
	calls: '/voice/call-logs',
};

/** Lets a list grow by records that are like a template. */
export async function grow(
	control: SandboxControl,
	kind: Records,
	drawn: Growth[],
	template: Record<string, unknown> = {},
): Promise<void> {
	for (const { afterPages: skip, count: n } of drawn) {
		const records = { [kind]: { n, template: { everyMs: 0, ...template } } };
		await control.addFault({ kind: 'grow', path: paths[kind], skip, ...records });
	}
}

/** Lets records leave the list of those with their first status; gives the ids of those that stay. */
export async function leave(
	control: SandboxControl,
	kind: Records,
	drawn: Leaving[],
	ids: string[],
): Promise<string[]> {
	const staying = [...ids];
	for (const { afterPages: skip, place, count } of [...drawn].sort(
		(a, b) => a.afterPages - b.afterPages,
	)) {
		const leaving = staying.splice(Math.floor(place * staying.length), count);
		const statuses =
			kind === 'messages'
				? { messageStatuses: Object.fromEntries(leaving.map((id) => [id, 'Read' as const])) }
				: { callStatuses: Object.fromEntries(leaving.map((id) => [id, 'success' as const])) };
		await control.addFault({ kind: 'grow', path: paths[kind], skip, ...statuses });
	}
	return staying;
}
