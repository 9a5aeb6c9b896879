import { compact, map, orderBy, uniqBy } from 'lodash';
import type { IDataObject, IHookFunctions } from 'n8n-workflow';

/** A trigger within n8n: workflow and node. */
export const triggerOf = (context: Pick<IHookFunctions, 'getNode' | 'getWorkflow'>): string =>
	`${context.getWorkflow().id} ${context.getNode().id}`;

/** The owner of stored data: the trigger within this n8n. Copied and imported workflows bring another's. */
export const ownerOf = (
	context: Pick<IHookFunctions, 'getInstanceId' | 'getNode' | 'getWorkflow'>,
): string => `${context.getInstanceId()} ${triggerOf(context)}`;

/**
 * A trigger and its URL: that of a test must not count for production. A delivery is told the URL of
 * production alone, so of a test only what is stored counts.
 */
export const addressOf = (
	context: Pick<IHookFunctions, 'getNode' | 'getWorkflow' | 'getNodeWebhookUrl'>,
): string => `${triggerOf(context)} ${context.getNodeWebhookUrl('default')}`;

/** A secret that a registration was given, or null where one has ended; in milliseconds since 1970. */
interface Told {
	secret: string | null;
	since: number;
}

/** What n8n keeps of a trigger's secrets, the latest first. */
export interface StoredSecrets extends IDataObject {
	secrets?: Told[];
}

/** Milliseconds for which deliveries that were under way at a replacement are still accepted. */
const grace = 10 * 60 * 1_000;

/**
 * What this process has been told of a trigger's secrets. What is stored is not enough: n8n saves a
 * new secret only when all triggers of the workflow are published; another name of the node makes it
 * forget the one before; and where this trigger alone was published anew, a polling trigger of the
 * same workflow puts back what it knew at its own publication.
 */
const told = new Map<string, Told[]>();

/** Keeps the secret of a new registration of a trigger and its URL, or null where one has ended. */
export function keepSecret(address: string, stored: StoredSecrets, secret: string | null): void {
	const secrets = [{ secret, since: Date.now() }, ...valid(address, stored)];
	stored.secrets = secrets;
	told.set(address, secrets);
}

/** The secrets that a delivery may be signed with: the last one, and for ten minutes those before. */
export const acceptedSecrets = (address: string, stored: StoredSecrets): string[] =>
	compact(map(valid(address, stored), 'secret'));

/** What is known, stored or told, and counts: until ten minutes after what came next. */
function valid(address: string, { secrets = [] }: StoredSecrets): Told[] {
	const now = Date.now();
	// What was told is right where a secret is stored with another time.
	const all = [...(told.get(address) ?? []), ...secrets].filter(({ since }) => isFinite(since));
	const known = uniqBy(all, ({ secret, since }) => secret ?? since).map(
		// A clock that was ahead would keep a former secret alive.
		({ secret, since }) => ({ secret, since: Math.min(since, now) }),
	);
	return orderBy(known, 'since', 'desc').filter((_, index, sorted) => {
		const next = sorted[index - 1];
		return !next || now < next.since + grace;
	});
}

/** The last registration that this process has begun, by trigger and URL. */
const underWay = new Map<string, Promise<unknown>>();

/** Says that a trigger's secret is on its way: the service may sign with it before it has arrived. */
export async function expectSecret<T>(address: string, registration: Promise<T>): Promise<T> {
	underWay.set(address, registration);
	return await registration;
}

/** Waits for a secret that is on its way, if there is one; what has become of it others say. */
export async function secretArrives(address: string): Promise<void> {
	await underWay.get(address)?.catch(() => {});
}
