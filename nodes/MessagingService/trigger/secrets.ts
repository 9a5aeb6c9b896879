import type { IDataObject } from 'n8n-workflow';

/** A secret that a registration had. */
export interface FormerSecret extends IDataObject {
	secret: string;
	/** Milliseconds since 1970 until which deliveries signed with it are accepted. */
	until: number;
}

/** What n8n keeps of a trigger's secrets. */
export interface StoredSecrets extends IDataObject {
	secret?: string;
	/** Milliseconds since 1970 at which it was told. */
	since?: number;
	/** Secrets of registrations that were replaced. */
	former?: FormerSecret[];
}

/** Milliseconds for which deliveries that were under way at a replacement are still accepted. */
const grace = 10 * 60 * 1_000;

/**
 * Secrets that this process has been told, by trigger. What is stored is not enough: n8n saves a new
 * secret only when all triggers of the workflow are published; another name of the node makes it
 * forget the former ones; and where this trigger alone was published anew, a polling trigger of the
 * same workflow puts back what it knew at its own publication.
 */
const told = new Map<string, StoredSecrets>();

/**
 * Keeps the secret of a new registration.
 *
 * @param trigger workflow and node
 * @param now milliseconds since 1970
 */
export function keep(trigger: string, secret: string, now: number): void {
	const kept = told.get(trigger) ?? {};
	retire(kept, now);
	told.set(trigger, { ...kept, secret, since: now });
}

/** Lets the secret of a registration that has ended, and that which was kept, count a while longer. */
export function letGo(trigger: string, secret: string, now: number): void {
	for (const [key, { secret: current, former }] of told) {
		if (!current && valid(former, now).length === 0) told.delete(key);
	}
	const kept = told.get(trigger) ?? {};
	retire(kept, now);
	told.set(trigger, { former: withSecret(kept.former, secret, now) });
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

/** Makes the stored secret a former one. */
export function retire(stored: StoredSecrets, now: number): void {
	if (stored.secret) stored.former = withSecret(stored.former, stored.secret, now);
	delete stored.secret;
	delete stored.since;
}

/**
 * The secrets that a delivery may be signed with.
 *
 * @param trigger workflow and node
 * @param now milliseconds since 1970
 */
export function acceptedSecrets(trigger: string, stored: StoredSecrets, now: number): string[] {
	const { secret = '', since = 0, former } = stored;
	const kept = told.get(trigger) ?? {};
	const { secret: own = '', since: ownSince = 0 } = kept;
	// The later of the two is that of the registration; the other one was replaced by it.
	const [current, replaced] = ownSince > since ? [own, secret] : [secret, own];
	const isReplacedLately = now < Math.max(since, ownSince) + grace;
	const secrets = [
		current,
		...(isReplacedLately ? [replaced] : []),
		...[...valid(former, now), ...valid(kept.former, now)].map((one) => one.secret),
	];
	return [...new Set(secrets.filter((one) => one !== ''))];
}

const withSecret = (secrets: FormerSecret[] | undefined, secret: string, now: number) => [
	...valid(secrets, now).filter((one) => one.secret !== secret),
	{ secret, until: now + grace },
];

const valid = (secrets: FormerSecret[] | undefined, now: number): FormerSecret[] =>
	(secrets ?? []).filter(({ until }) => until > now);
