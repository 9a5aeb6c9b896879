import { compact, map, orderBy, uniqBy } from 'lodash';
import type { IDataObject, IHookFunctions } from 'n8n-workflow';

/** A trigger within n8n: workflow and node. */
export const triggerOf = (context: Pick<IHookFunctions, 'getNode' | 'getWorkflow'>): string =>
	`${context.getWorkflow().id} ${context.getNode().id}`;

/** The owner of stored data. Copied and imported workflows contain the data of another trigger. */
export const ownerOf = (
	context: Pick<IHookFunctions, 'getInstanceId' | 'getNode' | 'getWorkflow'>,
): string => `${context.getInstanceId()} ${triggerOf(context)}`;

/**
 * A trigger and its URL, so that the secret of a test does not count for production. n8n returns the production URL
 * for a test delivery, which finds its secret only in the stored data, not in `received` (below).
 */
export const secretsKeyOf = (
	context: Pick<IHookFunctions, 'getNode' | 'getWorkflow' | 'getNodeWebhookUrl'>,
): string => `${triggerOf(context)} ${context.getNodeWebhookUrl('default')}`;

/** The secret of a registration, or null for the end of a registration. */
interface DatedSecret {
	secret: string | null;
	/** Milliseconds since 1970. */
	since: number;
}

/** The stored secrets of a trigger, latest first. */
export interface StoredSecrets extends IDataObject {
	secrets?: DatedSecret[];
}

/** Milliseconds for which a replaced secret is still accepted, for deliveries in flight. */
const grace = 10 * 60 * 1_000;

/**
 * The secrets that this process has received, by key. n8n saves a new secret only after it has published the last
 * trigger of the workflow, drops it when the node is renamed, and may overwrite it with an older copy.
 */
const received = new Map<string, DatedSecret[]>();

/** Stores the secret of a new registration; null ends the validity of the latest after a time. */
export function storeSecret(
	secretsKey: string,
	stored: StoredSecrets,
	secret: string | null,
): void {
	const secrets = [{ secret, since: Date.now() }, ...valid(secretsKey, stored)];
	stored.secrets = secrets;
	received.set(secretsKey, secrets);
}

/** The secrets that a delivery may be signed with: the latest, and earlier ones for ten minutes. */
export const acceptedSecrets = (secretsKey: string, stored: StoredSecrets): string[] =>
	compact(map(valid(secretsKey, stored), 'secret'));

/** The received and stored secrets that still count: until ten minutes after their successor. */
function valid(secretsKey: string, { secrets = [] }: StoredSecrets): DatedSecret[] {
	const now = Date.now();
	// Of equal secrets, `uniqBy` keeps the first: the received one, whose time can be trusted.
	const all = [...(received.get(secretsKey) ?? []), ...secrets].filter(({ since }) =>
		isFinite(since),
	);
	const dated = uniqBy(all, ({ secret, since }) => secret ?? since).map(
		// If the clock was ahead when a secret was stored, the secret before it would count too long.
		({ secret, since }) => ({ secret, since: Math.min(since, now) }),
	);
	return orderBy(dated, 'since', 'desc').filter((_, index, sorted) => {
		const next = sorted[index - 1];
		return !next || now < next.since + grace;
	});
}

/** The latest registration in this process, by trigger and URL. */
const registrations = new Map<string, Promise<unknown>>();

/** Announces a new secret: the service may sign with it before its response arrives. */
export async function expectSecret<T>(secretsKey: string, registration: Promise<T>): Promise<T> {
	registrations.set(secretsKey, registration);
	return await registration;
}

/** Waits for an announced secret, whether or not its registration succeeds. */
export async function secretArrives(secretsKey: string): Promise<void> {
	await registrations.get(secretsKey)?.catch(() => {});
}
