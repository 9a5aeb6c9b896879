import type { Socket } from 'node:net';
import { escapeRegExp } from 'lodash';
import { z } from 'zod';
import { schema } from './http/validate';

/** Entries kept; the oldest go first. */
const keptEntries = { full: 200_000, summary: 10_000 } as const;

/** `summary` keeps recent entries without bodies. */
export type JournalMode = keyof typeof keptEntries;

export interface JournalFile {
	field: string;
	filename: string;
	mimeType: string;
	size: number;
	sha256: string;
}

/** A request as it came in, and what became of it. */
export interface RequestEntry {
	kind: 'request';
	/** Milliseconds since 1970. */
	at: number;
	method: string;
	/** Below the service root when the request was, else the whole path. */
	path: string;
	/** Path and query string as received. */
	url: string;
	/** Parsed JSON, the text when it is none, or the fields and files of a form. */
	body: unknown;
	/** The status of the response; null if the caller received no complete one. */
	status: number | null;
	/** Whether the service acted on it, whatever the caller received. */
	processed: boolean;
	/** Name of the fault that changed the response. */
	fault: string | null;
}

/** One attempt to deliver an event. */
export interface DeliveryEntry {
	kind: 'delivery';
	at: number;
	webhookId: string;
	url: string;
	event: string;
	/** The raw body. */
	body: string;
	/** The receiver's status; null without a response. */
	status: number | null;
	/** Why there was no response. */
	error: string | null;
}

export type JournalEntry = RequestEntry | DeliveryEntry;

export const journalFilter = schema({
	kind: z.enum(['request', 'delivery']),
	method: z.string().toUpperCase(),
	/** A path, or a pattern such as `/contacts/:id`. */
	path: z.string(),
}).partial();
export type JournalFilter = z.output<typeof journalFilter>;

/** Matches paths that fit a pattern, in which `:name` stands for any one segment and `*` for any path. */
export function pathMatcher(pattern: string): RegExp {
	const source = pattern === '*' ? '.*' : escapeRegExp(pattern).replace(/:\w+/g, '[^/]+');
	return new RegExp(`^${source}$`);
}

/** What was received and what was delivered, in order. Control requests are left out. */
export class Journal {
	private entries: JournalEntry[] = [];

	private readonly sockets = new Set<Socket>();

	/** All requests, and most connections at once that have carried one. */
	stats = { requests: 0, peakConnections: 0 };

	constructor(private readonly mode: JournalMode) {}

	/** Adds a request on arrival, so that it is there even if the connection breaks. */
	request(entry: RequestEntry, socket: Socket): void {
		this.keep(entry);
		if (!this.sockets.has(socket)) {
			this.sockets.add(socket);
			socket.once('close', () => this.sockets.delete(socket));
		}
		this.stats.requests += 1;
		this.stats.peakConnections = Math.max(this.stats.peakConnections, this.sockets.size);
	}

	/** Adds the body, which a summary leaves out. */
	describe(entry: RequestEntry, body: unknown): void {
		if (this.mode === 'full') entry.body = body;
	}

	/** Adds a delivery attempt with its response. */
	delivery(entry: DeliveryEntry): void {
		this.keep(this.mode === 'full' ? entry : { ...entry, body: '' });
	}

	list({ kind, method, path = '*' }: JournalFilter = {}): JournalEntry[] {
		const paths = pathMatcher(path);
		const isWanted = (one: JournalEntry) =>
			one.kind === 'delivery'
				? !method && path === '*'
				: (!method || one.method === method) && paths.test(one.path);
		return this.entries.filter((one) => (!kind || one.kind === kind) && isWanted(one));
	}

	clear(): void {
		this.entries = [];
		this.resetStats();
	}

	/** Counts from zero; open connections stay counted as open. */
	resetStats(): void {
		this.stats = { requests: 0, peakConnections: this.sockets.size };
	}

	private keep(entry: JournalEntry): void {
		this.entries.push(entry);
		const kept = keptEntries[this.mode];
		// Dropping a tenth at a time keeps the cost per entry constant.
		if (this.entries.length > kept * 1.1) this.entries = this.entries.slice(-kept);
	}
}
