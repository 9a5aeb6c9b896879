import { compact, uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

/** What n8n keeps of a trigger's secrets. */
export interface StoredSecrets extends IDataObject {
	secret?: string;
	/** Milliseconds since 1970 at which it was told. */
	since?: number;
	/** The secret of the registration before, and until when deliveries signed with it are accepted. */
	former?: { secret: string; until: number };
}

/** Milliseconds for which deliveries that were under way at a replacement are still accepted. */
const grace = 10 * 60 * 1_000;

/**
 * What this process has been told of a trigger's secrets. What is stored is not enough: n8n saves a
 * new secret only when all triggers of the workflow are published; another name of the node makes it
 * forget the one before; and where this trigger alone was published anew, a polling trigger of the
 * same workflow puts back what it knew at its own publication.
 */
const told = new Map<string, StoredSecrets>();

/**
 * Keeps the secret of a new registration, or none of one that has ended. The one before becomes the
 * former one.
 *
 * @param address a trigger and its URL
 * @param now milliseconds since 1970
 */
export function keepSecret(
	address: string,
	stored: StoredSecrets,
	secret: string | undefined,
	now: number,
): void {
	const own = told.get(address) ?? {};
	const [last] = registered(stored, own);
	const former = last ? { secret: last.secret, until: now + grace } : (stored.former ?? own.former);
	const kept = { secret, since: secret === undefined ? undefined : now, former };
	Object.assign(stored, kept);
	told.set(address, kept);
}

/**
 * The secrets that a delivery may be signed with: that of the registration, which is the stored one
 * or a later one that this process was told; for ten minutes the other of these two, and the former.
 *
 * @param address a trigger and its URL
 * @param now milliseconds since 1970
 */
export function acceptedSecrets(address: string, stored: StoredSecrets, now: number): string[] {
	const own = told.get(address) ?? {};
	const [last, other] = registered(stored, own);
	const ending = [
		{ secret: other?.secret, until: (last?.since ?? 0) + grace },
		...compact([stored.former, own.former]),
	];
	const accepted = ending.filter(({ until }) => now < until);
	return uniq(compact([last, ...accepted].map((one) => one?.secret)));
}

/** Those that have a secret, the later one first. */
const registered = (...both: StoredSecrets[]) =>
	both
		.flatMap(({ secret, since = 0 }) => (secret ? [{ secret, since }] : []))
		.sort((a, b) => b.since - a.since);

/** Registrations that this process is making, by trigger and URL. */
const underWay = new Map<string, Promise<unknown>>();

/** Says that a trigger's secret is on its way: the service may sign with it before it has arrived. */
export async function expectSecret<T>(address: string, registration: Promise<T>): Promise<T> {
	underWay.set(address, registration);
	return await registration.finally(() => underWay.delete(address));
}

/**
 * Waits for a secret that is on its way.
 *
 * @returns whether there was one to wait for
 */
export async function secretArrives(address: string): Promise<boolean> {
	const registration = underWay.get(address);
	// What has become of it is for those to say who make it.
	await registration?.catch(() => {});
	return registration !== undefined;
}
