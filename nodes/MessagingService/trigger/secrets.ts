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
	/** Secrets of registrations that were replaced. */
	former?: FormerSecret[];
}

/** Milliseconds for which deliveries that were under way at a replacement are still accepted. */
const grace = 10 * 60 * 1_000;

/**
 * Secrets that this process has seen lately, by trigger. What is stored is not enough: n8n saves a
 * new secret only when all triggers of the workflow are published, and another name of the node
 * makes it forget the former ones.
 */
const seen = new Map<string, FormerSecret[]>();

/**
 * Keeps a secret in mind.
 *
 * @param trigger workflow and node
 * @param now milliseconds since 1970
 */
export function remember(trigger: string, secret: string, now: number): void {
	for (const [key, secrets] of seen) if (valid(secrets, now).length === 0) seen.delete(key);
	seen.set(trigger, withSecret(seen.get(trigger), secret, now));
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
}

/**
 * The secrets that a delivery may be signed with.
 *
 * @param trigger workflow and node
 * @param now milliseconds since 1970
 */
export function acceptedSecrets(trigger: string, stored: StoredSecrets, now: number): string[] {
	const former = [...valid(stored.former, now), ...valid(seen.get(trigger), now)];
	const secrets = [stored.secret ?? '', ...former.map(({ secret }) => secret)];
	return [...new Set(secrets.filter((secret) => secret !== ''))];
}

const withSecret = (secrets: FormerSecret[] | undefined, secret: string, now: number) => [
	...valid(secrets, now).filter((one) => one.secret !== secret),
	{ secret, until: now + grace },
];

const valid = (secrets: FormerSecret[] | undefined, now: number): FormerSecret[] =>
	(secrets ?? []).filter(({ until }) => until > now);
