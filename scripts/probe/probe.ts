import { filter, find, get, inRange, isNil, isPlainObject, uniq } from 'lodash';
import { Client, type Reading } from './client';
import { Listener, type Delivery } from './listener';
import { registerTwice, type Registrations } from './registrations';
import { dayIn, hasZone } from './times';

export type Json = Record<string, unknown>;

export interface ProbeOptions {
	baseUrl: string;
	key: string;
	/** A paid template to an own number. */
	message?: { phone: string; templateName: string; language?: string };
	/** A public URL that leads to a port of this computer. */
	listen?: { url: string; port: number };
	/** Stops the probe; it still deletes what it has registered. */
	stop?: AbortSignal;
	/** Milliseconds between two looks for what takes a while. */
	lookMs?: number;
}

/** A day of calls, as the service finds them. */
export interface Day {
	/** `YYYY-MM-DD` */
	day: string;
	call: Json;
	reading: Reading;
}

/** A message, and what followed. */
interface Sent {
	/** The response, or why it was not sent. */
	response: Reading;
	/** Its record; null if the list could not be read. */
	record?: Json | null;
	/** What the first look for it shows. */
	found?: 'atOnce' | 'later' | 'unclear';
	deliveries: Delivery[];
}

/** Everything that the service has shown. */
export interface Seen {
	balance: Reading;
	numbers: Reading;
	messages: Reading;
	calls: Reading;
	webhooks: Reading;
	/** Lists with 101 entries, and with an invalid status. */
	tooLarge: Reading[];
	invalid: Reading[];
	/** Messages of one status, if others have another one. */
	ofStatus?: { status: string; reading: Reading };
	/** Calls found by digits within a number, and by all of its digits. */
	found?: { digits: string; byPart: Reading; byAll: Reading };
	days: Day[];
	clock: Client['clock'];
	registrations?: Registrations;
	sent?: Sent;
	/** Why it ended early. */
	problem?: string;
}

const campaigns = '/chat/campaigns';
const callLogs = '/voice/call-logs';

/** Largest page (docs/service.md, section 8.1). */
export const pageSize = 100;

/** Looks for the record and an event of a message; one a second. */
export const waitSeconds = 30;

/** Looks until the record of a message that was listed at once must be found. */
const soonLooks = 1.5;

/** Looks for repetitions of an event. */
const moreLooks = 3;

/**
 * Reads from a service what it shows of the open questions (docs/service.md, section 10); registers and
 * sends only with `listen` and `message`, and deletes what it has registered.
 * @throws if the service shows nothing, or the public URL leads elsewhere
 */
export async function probe(options: ProbeOptions): Promise<Seen> {
	const { baseUrl, key, message, listen, lookMs = 1_000 } = options;
	const { stop = new AbortController().signal } = options;
	const client = new Client(baseUrl.replace(/\/+$/, ''), key, stop);
	const listener = listen && new Listener(lookMs);
	const url = listen && (await listener?.listen(listen.url, listen.port, stop));
	try {
		const seen = await readAll(client);
		const use = async () => {
			if (message && client.problem === undefined)
				seen.sent = await send(client, message, seen.messages, listener, lookMs);
		};
		const unsent =
			seen.webhooks.problem ?? client.problem ?? 'not sent, because nothing is registered';
		if (message) seen.sent = { response: { ...seen.webhooks, problem: unsent }, deliveries: [] };
		if (url === undefined) await use();
		// Without the list, nothing shows what is left registered.
		else if (seen.webhooks.problem === undefined && client.problem === undefined)
			seen.registrations = await registerTwice(client, url, seen.webhooks, use, lookMs);
		return { ...seen, clock: client.clock, problem: client.problem };
	} finally {
		await listener?.close();
	}
}

/** Free reads alone. */
async function readAll(client: Client): Promise<Seen> {
	const seen: Seen = {
		balance: await client.read('/balance'),
		numbers: await client.read('/chat/configs'),
		messages: await client.read(campaigns, { limit: pageSize }),
		calls: await client.read(callLogs, { pageSize }),
		webhooks: await client.read('/chat/webhooks'),
		...{ tooLarge: [], invalid: [], days: [], clock: undefined },
	};
	const { balance, numbers, messages, calls, webhooks } = seen;
	if ([balance, numbers, messages, calls, webhooks].every(({ problem }) => problem))
		throw new Error(`The service shows nothing: ${balance.problem}`);
	if (messages.problem === undefined) {
		seen.tooLarge.push(await client.read(campaigns, { limit: pageSize + 1 }));
		seen.invalid.push(await client.read(campaigns, { status: 'invalid' }));
		const { total, stats } = { ...(messages.body as Json) };
		const status = ['Failed', 'Read', 'Delivered', 'Sent'].find((one) =>
			inRange(Number(get(stats, one)), 1, Number(total)),
		);
		if (status !== undefined) {
			const reading = await client.read(campaigns, { status, limit: pageSize });
			seen.ofStatus = { status, reading };
		}
	}
	if (calls.problem === undefined) {
		seen.tooLarge.push(await client.read(callLogs, { pageSize: pageSize + 1 }));
		seen.invalid.push(await client.read(callLogs, { status: 'invalid' }));
		const listed = recordsIn(calls, 'data');
		const digits = listed.map(digitsOf).find(({ length }) => length >= 10);
		if (digits !== undefined) {
			const search = async (part: string) => await client.read(callLogs, { search: part });
			const byPart = await search(digits.slice(2, -2));
			seen.found = { digits, byPart, byAll: await search(digits) };
		}
		seen.days = await daysOf(client, listed);
	}
	return seen;
}

/** The records in a body. */
export const recordsIn = ({ body }: Reading, key: string): Json[] =>
	filter(get(body, key) as unknown[], isPlainObject) as Json[];

export const digitsOf = ({ phone }: Json): string => String(phone).replace(/\D/g, '');

/** Looks for a few calls on the two days that they can belong to (docs/service.md, section 10.25). */
async function daysOf(client: Client, calls: Json[]): Promise<Day[]> {
	const timed = calls.filter(({ createdAt }) => hasZone(createdAt));
	const found: Day[] = [];
	// The first kind shows zones in the east, the second those in the west.
	const east = timed.filter(({ createdAt }) => dayIn(createdAt, 0) !== dayIn(createdAt, 5.5));
	const west = timed.filter(({ createdAt }) => dayIn(createdAt, 0) !== dayIn(createdAt, -10));
	for (const call of [...east.slice(0, 2), ...west.slice(0, 2)]) {
		for (const day of uniq([-10, 0, 5.5].map((hours) => dayIn(call.createdAt, hours)))) {
			const params = { from: day, to: day, search: digitsOf(call), pageSize };
			found.push({ day, call, reading: await client.read(callLogs, params) });
		}
	}
	return found;
}

/** Sends the message, and waits for its record and its first event. */
async function send(
	client: Client,
	message: object,
	messages: Reading,
	listener: Listener | undefined,
	lookMs: number,
): Promise<Sent> {
	const start = Date.now();
	if (listener) listener.isSending = true;
	const response = await client.call('POST', '/chat/send-template', { data: message });
	if (listener) listener.isSending = false;
	const id: unknown = get(response.body, 'providerMessageId');
	if (isNil(id)) {
		const problem = response.problem ?? 'the response has no providerMessageId';
		return { response: { ...response, problem }, deliveries: [] };
	}
	const own = () => filter(listener?.deliveries, ['event.data.providerMessageId', id]);
	const isReadable = messages.problem === undefined;
	const look = async () => (isReadable ? await recordOf(client, id) : null);
	let record = await look();
	const isSoon = Date.now() - start < soonLooks * lookMs;
	const found = record === undefined ? 'later' : record && isSoon ? 'atOnce' : 'unclear';
	const isComplete = () => (record || !isReadable) && (!listener || own().length > 0);
	for (let left = waitSeconds; left > 0 && !isComplete(); left--) {
		if (!(await client.pause(lookMs))) break;
		record ??= await look();
	}
	if (listener) await client.pause(moreLooks * lookMs);
	return { response, record, found, deliveries: own() };
}

/** The record of a message on the first or the last page; null if one of them could not be read. */
async function recordOf(client: Client, providerMessageId: unknown): Promise<Sent['record']> {
	const page = await client.read(campaigns, { limit: pageSize });
	const offset = Number(get(page.body, 'total')) - pageSize;
	const last = offset > 0 ? [await client.read(campaigns, { limit: pageSize, offset })] : [];
	const pages = [page, ...last];
	if (pages.some(({ problem }) => problem !== undefined)) return null;
	const records = pages.flatMap((one) => recordsIn(one, 'messages'));
	return find(records, { providerMessageId });
}
