import { setTimeout as sleep } from 'node:timers/promises';
import { isNumber, isObject, isString, map, reject, uniq } from 'lodash';
import type { Client, Reading } from './client';

const path = '/chat/webhooks';

/** How often a deletion is attempted. */
const attempts = 3;

/** A webhook registration (docs/service.md, section 2.5). */
export interface Registration {
	id: string;
	url: string;
	[field: string]: unknown;
}

/** Two registrations of one URL, from their creation to their deletion. */
export interface Registrations {
	/** The responses to their creation. */
	made: Reading[];
	/** The list with both. */
	listed: Reading;
	/** The responses to their deletion, with their ids. */
	deleted: Array<Reading & { id: string }>;
	/** The list after it. */
	after: Reading;
	/** What the service did not confirm as deleted. */
	left: string[];
}

/** All registrations in a body, whatever they are wrapped in (docs/service.md, section 10.11). */
export function registrationsIn(body: unknown): Registration[] {
	if (!isObject(body)) return [];
	const { id, url } = body as Record<string, unknown>;
	if ((isString(id) || isNumber(id)) && isString(url)) return [{ ...body, id: String(id), url }];
	return Object.values(body).flatMap(registrationsIn);
}

/**
 * Registers a URL twice, and deletes whatever that has registered.
 * @param url one that is registered nowhere else
 * @param use runs while at least one is registered
 * @param retryMs milliseconds between two attempts to delete
 */
export async function registerTwice(
	client: Client,
	url: string,
	before: Reading,
	use: () => Promise<void>,
	retryMs: number,
): Promise<Registrations> {
	const events = ['message.sent', 'message.delivered', 'message.read', 'message.failed'];
	const seen: Registrations = { made: [], listed: before, deleted: [], after: before, left: [] };
	try {
		// A stop doesn't abort these requests: what they register must be deleted.
		while (seen.made.length < 2 && client.problem === undefined)
			seen.made.push(await client.call('POST', path, { data: { url, events } }));
		seen.listed = await client.read(path);
		if (registrationsIn(map(seen.made, 'body')).length > 0) await use();
	} finally {
		await deleteAll(client, url, seen, retryMs);
	}
	return seen;
}

/** Deletes what the responses show, and what the list shows if a response was lost. */
async function deleteAll(client: Client, url: string, seen: Registrations, retryMs: number) {
	const repeat = async (call: () => Promise<Reading>) => await repeated(call, retryMs);
	const read = async () => await repeat(async () => await client.call('GET', path, {}));
	// A service may write the URL in another way, but not its last segment.
	const token = new URL(url).pathname.split('/').pop() ?? url;
	const list = await read();
	const listed = registrationsIn(list.body).filter((one) => one.url.includes(token));
	const known = reject([...registrationsIn(map(seen.made, 'body')), ...listed], {
		isActive: false,
	});
	for (const id of uniq(map(known, 'id'))) {
		const params = { id };
		const deleted = await repeat(async () => await client.call('DELETE', path, { params }));
		seen.deleted.push({ ...deleted, id });
		if (deleted.problem !== undefined && deleted.status !== 404) seen.left.push(id);
	}
	const isLost = (one: Reading) => isTemporary(one) || registrationsIn(one.body).length === 0;
	const lost = seen.made.filter((one) => one.status !== 400 && isLost(one));
	if (list.problem !== undefined && lost.length > 0) seen.left.push('unknown');
	seen.after = await read();
}

/** The last response of a few attempts, or the first one that a repetition would not change. */
async function repeated(call: () => Promise<Reading>, retryMs: number): Promise<Reading> {
	let reading = await call();
	for (let left = attempts - 1; left > 0 && isTemporary(reading); left--) {
		await sleep(retryMs);
		reading = await call();
	}
	return reading;
}

const isTemporary = ({ status }: Reading): boolean => status === 0 || status >= 500;
