import { randomUUID } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause, waitFor } from '../../../harness';
import { loopback } from '../../../harness/ports';
import { allEndpoints, callLogEntry, messageRecord, type Body, type SentRecord } from './records';

/** What the service does with one billable request. */
export type Act =
	| { does: 'accept' }
	| { does: 'reject'; status?: number }
	/** The connection breaks, before or after the service has acted. */
	| { does: 'cut'; acts: boolean }
	/** A gateway's page in place of the answer. */
	| { does: 'gateway'; acts: boolean };

/** One message, call or email that reached a recipient's account at the service. */
export interface Arrival {
	recipient: string;
	/** The API key it came with. */
	key: string;
	path: string;
	body: Body;
	/** The service's own id of it. */
	id: string;
}

const accepting: Act = { does: 'accept' };

/** Requests that wait for their answers once enough of them have come. */
interface Hold {
	names: Set<string>;
	/** Requests until then. */
	left: number;
	isFirm: boolean;
	released: Promise<void>;
	release(): void;
}

function deferred(): Pick<Hold, 'release' | 'released'> {
	let release = () => {};
	const released = new Promise<void>((resolve) => (release = resolve));
	return { released, release };
}

/**
 * A stand-in for the service that does exactly what a test writes down for each recipient, and
 * counts. It shares nothing with the sandbox, so that neither can hide a mistake of the other.
 */
export class Service {
	/** Everything on which the service has acted, in order. */
	arrivals: Arrival[] = [];
	/** All billable requests, whatever became of them. */
	requests = 0;
	/** Milliseconds that every billable request takes. */
	delayMs = 0;
	/** Statuses that a message goes through, one further with each list that shows it. */
	statuses = ['Sent'];

	private holds: Hold[] = [];

	private scripts = new Map<string, Act[]>();

	private records: Array<SentRecord & { key: string }> = [];

	private constructor(
		private readonly server: http.Server,
		readonly baseUrl: string,
	) {}

	/** Starts on a free port of this machine. */
	static async open(): Promise<Service> {
		const server = http.createServer();
		await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
		const { port } = server.address() as AddressInfo;
		const service = new Service(server, `http://${loopback}:${port}/api/v1`);
		server.on('request', (request: IncomingMessage, response: ServerResponse) => {
			void service.serve(request, response);
		});
		return service;
	}

	/** A key that the service accepts, in the form that the search for secrets knows. */
	static key(): string {
		return `msk_${randomUUID().replaceAll('-', '')}00000000`;
	}

	/** What happens to the requests for a recipient, one act after the other; then all are accepted. */
	script(recipient: string, ...acts: Act[]): void {
		this.scripts.set(recipient, acts);
	}

	/** Gives an account another key: what was sent with the old one stays its own. */
	rename(oldKey: string, newKey: string): void {
		for (const record of this.records) if (record.key === oldKey) record.key = newKey;
	}

	/** Forgets what has arrived for some recipients. */
	forget(recipients: string[]): void {
		const forgotten = new Set(recipients);
		this.arrivals = this.arrivals.filter(({ recipient }) => !forgotten.has(recipient));
	}

	/** Forgets everything, as a new service would. */
	reset(): void {
		this.arrivals = [];
		this.requests = 0;
		this.delayMs = 0;
		this.endHolds();
		this.statuses = ['Sent'];
		this.scripts = new Map();
		this.records = [];
	}

	/** Address of something else that a workflow asks, in as many kinds as there are names. */
	otherUrl(name: string): string {
		return `${this.baseUrl}/other/${name}`;
	}

	/**
	 * Lets requests wait for their answers once so many have come, until `release` or `endHolds`.
	 *
	 * @param names recipients, or names of other addresses
	 * @param isFirm whether only `endHolds` ends it
	 * @returns what waits for that moment
	 */
	hold(names: string[], after: number, isFirm = false): () => Promise<void> {
		const hold: Hold = { names: new Set(names), left: after, isFirm, ...deferred() };
		this.holds.push(hold);
		return async () =>
			await waitFor(`${after} requests for ${names[0]}`, () =>
				hold.left <= 0 ? true : undefined,
			).then(() => {});
	}

	/** Answers what waits, but for what is held firmly. */
	release(): void {
		for (const { isFirm, release } of this.holds) if (!isFirm) release();
	}

	/** From now on nothing is held. */
	endHolds(): void {
		for (const { release } of this.holds.splice(0)) release();
	}

	/** Waits until it has acted on so many requests. */
	async acted(count: number): Promise<void> {
		await waitFor(`${count} arrivals`, () => (this.arrivals.length >= count ? true : undefined));
	}

	/** Cuts all connections and refuses new ones for a while. */
	async away(ms: number): Promise<void> {
		const { port } = this.server.address() as AddressInfo;
		await this.close();
		await pause(ms);
		await new Promise<void>((resolve) => this.server.listen(port, loopback, resolve));
	}

	async close(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? '', this.baseUrl);
		const path = url.pathname.replace('/api/v1', '');
		const key = String(request.headers['x-api-key']);
		const text = await readText(request).catch(() => undefined);
		if (text === undefined) return;
		const other = /^\/other\/(.+)/.exec(path)?.[1];
		if (other !== undefined) {
			await this.held([other]);
			return answer(response, 200, {});
		}
		if (request.method === 'GET') return this.list(path, url.searchParams, key, response);
		const endpoint = allEndpoints[path];
		if (!endpoint) return answer(response, 404, { error: `No ${path}` });
		await this.send(path, key, JSON.parse(text) as Body, response);
	}

	private async send(
		path: string,
		key: string,
		body: Body,
		response: ServerResponse,
	): Promise<void> {
		this.requests++;
		const recipients = allEndpoints[path]?.recipients(body) ?? [];
		const act = this.scripts.get(recipients[0] ?? '')?.shift() ?? accepting;
		if (act.does === 'reject') {
			return answer(response, act.status ?? 500, { error: 'Out of order' });
		}
		// The decision falls when the request is there, as in a queue; the answer takes its time.
		const record = act.does === 'accept' || act.acts ? this.accept(path, key, body) : undefined;
		await this.held(recipients);
		if (this.delayMs > 0) await pause(this.delayMs);
		if (act.does === 'cut') return void response.destroy();
		if (act.does === 'gateway') return void response.writeHead(502).end('<html>Bad gateway</html>');
		if (record) answer(response, 200, allEndpoints[path]?.answer(record, body) ?? {});
	}

	private async held(names: string[]): Promise<void> {
		const hold = this.holds.find((one) => one.names.has(names[0] ?? ''));
		if (!hold) return;
		hold.left -= names.length;
		if (hold.left <= 0) await hold.released;
	}

	private accept(path: string, key: string, body: Body): SentRecord | undefined {
		const at = new Date().toISOString();
		const made = (allEndpoints[path]?.recipients(body) ?? []).map((to) => {
			const record = { id: randomUUID(), path, to, at, key, shown: 0 };
			this.records.push(record);
			this.arrivals.push({ recipient: to, key, path, body, id: record.id });
			return record;
		});
		return made[0];
	}

	private list(path: string, query: URLSearchParams, key: string, response: ServerResponse): void {
		if (path === '/balance') return answer(response, 200, { success: true, user: balance });
		if (path === '/chat/configs') return answer(response, 200, { configs: [] });
		if (path === '/chat/campaigns') return this.listMessages(query, key, response);
		if (path === '/voice/call-logs') return this.listCalls(query, key, response);
		answer(response, 404, { error: `No ${path}` });
	}

	private listMessages(query: URLSearchParams, key: string, response: ServerResponse): void {
		const all = this.of(key, (path) => path.startsWith('/chat/')).map((record) => {
			const step = Math.min(record.shown++, this.statuses.length - 1);
			return messageRecord(record, this.statuses[step] ?? 'Sent');
		});
		const wanted = all.filter(({ status }) => [null, status].includes(query.get('status')));
		const [limit, offset] = [wholeOr(query.get('limit'), 20), wholeOr(query.get('offset'), 0)];
		const stats: Record<string, number> = { Sent: 0, Delivered: 0, Read: 0, Failed: 0 };
		for (const { status } of all) stats[String(status)] = (stats[String(status)] ?? 0) + 1;
		const messages = wanted.slice(offset, offset + Math.min(limit, 100));
		answer(response, 200, { total: wanted.length, limit, offset, stats, messages });
	}

	private listCalls(query: URLSearchParams, key: string, response: ServerResponse): void {
		const search = query.get('search') ?? '';
		const all = this.of(key, (path) => path === '/voice/call')
			.filter(({ to }) => to.includes(search))
			.map(callLogEntry);
		const [page, size] = [wholeOr(query.get('page'), 1), wholeOr(query.get('pageSize'), 10)];
		const data = all.slice((page - 1) * size, page * size);
		const totalPages = Math.ceil(all.length / size);
		const pagination = { page, pageSize: size, total: all.length, totalPages };
		answer(response, 200, { success: true, data, pagination });
	}

	/** The records of an account, newest first. */
	private of(key: string, isWanted: (path: string) => boolean): SentRecord[] {
		return this.records.filter((record) => record.key === key && isWanted(record.path)).reverse();
	}
}

const balance = {
	name: 'Account',
	email: 'account@example.com',
	role: 'user',
	balance: 1_000,
	chatBalance: 1_000_000,
	emailBalance: 1_000_000,
	voiceMins: 1_000_000,
	createdAt: '2026-01-01T00:00:00.000Z',
};

const wholeOr = (text: string | null, otherwise: number): number =>
	text === null ? otherwise : Number(text);

function answer(response: ServerResponse, status: number, body: Body): void {
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString();
}
