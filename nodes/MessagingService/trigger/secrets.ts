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
 * The last secret that this process has been told of a trigger, and until when it counts. What is
 * stored is not enough: n8n saves a new secret only when all triggers of the workflow are published;
 * another name of the node makes it forget the one before; and where this trigger alone was
 * published anew, a polling trigger of the same workflow puts back what it knew at its own publication.
 */
const told = new Map<string, { secret: string; since: number; until?: number }>();

/**
 * Keeps the secret of a new registration.
 *
 * @param trigger workflow and node; undefined in a test, whose secret counts for nothing else
 * @param now milliseconds since 1970
 */
export function keep(
	trigger: string | undefined,
	stored: StoredSecrets,
	secret: string,
	now: number,
): void {
	retire(stored, now);
	const before = trigger === undefined ? undefined : told.get(trigger);
	if (before && !stored.former) stored.former = { secret: before.secret, until: now + grace };
	stored.secret = secret;
	stored.since = now;
	if (trigger !== undefined) told.set(trigger, { secret, since: now });
}

/** Lets the secret of a registration that has ended count a while longer. */
export function letGo(trigger: string | undefined, stored: StoredSecrets, now: number): void {
	const { secret = '', since = 0 } = stored;
	if (trigger !== undefined) {
		const own = told.get(trigger) ?? { secret, since };
		told.set(trigger, { until: now + grace, ...own });
	}
	retire(stored, now);
}

function retire(stored: StoredSecrets, now: number): void {
	if (stored.secret) stored.former = { secret: stored.secret, until: now + grace };
	delete stored.secret;
	delete stored.since;
}

/**
 * The secrets that a delivery may be signed with: the stored one, the one that this process was told,
 * and the former one for a while. Of the first two, the later is that of the registration.
 *
 * @param trigger workflow and node
 * @param now milliseconds since 1970
 */
export function acceptedSecrets(trigger: string, stored: StoredSecrets, now: number): string[] {
	const { secret, since = 0, former } = stored;
	const own = told.get(trigger);
	const accepted = [
		{ secret, until: own && own.since > since ? own.since + grace : Infinity },
		{
			secret: own?.secret,
			until: own && secret && own.since < since ? since + grace : (own?.until ?? Infinity),
		},
		{ secret: former?.secret, until: former?.until ?? 0 },
	];
	return [
		...new Set(accepted.flatMap((one) => (one.secret && now < one.until ? [one.secret] : []))),
	];
}

/** Registrations that this process is making, by trigger. */
const underWay = new Map<string, Promise<unknown>>();

/** Says that a trigger's secret is on its way: the service may sign with it before it has arrived. */
export async function expectSecret<T>(trigger: string, registration: Promise<T>): Promise<T> {
	underWay.set(trigger, registration);
	return await registration.finally(() => underWay.delete(trigger));
}

/**
 * Waits for a secret that is on its way.
 *
 * @returns whether there was one to wait for
 */
export async function secretArrives(trigger: string): Promise<boolean> {
	const registration = underWay.get(trigger);
	// What has become of it is for those to say who make it.
	await registration?.catch(() => {});
	return registration !== undefined;
}
