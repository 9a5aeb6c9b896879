import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyReply } from 'fastify';
import { pause, waitFor } from '../../../harness';
import { loopback } from '../../../harness/ports';

/** What the service does with one request in place of accepting it; a cut breaks the connection before or after it acts. */
export type Act = 'cutAfter' | 'cutBefore' | 'reject';

/** A request body of the service, as JSON. */
type Body = Record<string, unknown>;

/** One message that reached a recipient's account at the service. */
export interface Arrival {
	recipient: string;
	/** The service's own id of it. */
	id: string;
	at: string;
}

/** Requests that wait for their responses once enough of them have come. */
interface Hold {
	names: Set<string>;
	/** Requests until then. */
	left: number;
	isFirm: boolean;
	released: Promise<void>;
	release(): void;
}

/**
 * A stand-in for the service that accepts everything, except what a test scripts for a recipient, and counts.
 * It shares nothing with the sandbox, so that neither can hide an error of the other.
 */
export class Service {
	/** Everything on which the service has acted, in order. */
	arrivals: Arrival[] = [];
	/** All billable requests, whatever became of them. */
	requests = 0;
	/** Milliseconds that every billable request takes. */
	delayMs = 0;
	baseUrl = '';

	/** A key that it accepts, in the form that the search for secrets recognizes. */
	readonly key = `msk_${randomUUID().replaceAll('-', '')}00000000`;

	private holds: Hold[] = [];
	private scripts = new Map<string, Act[]>();
	private readonly app = fastify({ bodyLimit: 64 * 1024 * 1024 });

	/** Starts on a free port of this machine. */
	static async open(): Promise<Service> {
		const service = new Service();
		const { app } = service;
		app.get<{ Params: { name: string } }>('/api/v1/other/:name', async ({ params }, reply) => {
			await service.held([params.name]);
			return service.actOn(params.name) ? await refused(reply) : {};
		});
		app.get('/api/v1/chat/campaigns', ({ query }) => service.list(query as Body));
		app.post('/api/v1/*', async ({ body }, reply) => await service.send(body as Body, reply));
		service.baseUrl = `${await app.listen({ host: loopback, port: 0 })}/api/v1`;
		return service;
	}

	/** What happens to the requests for a recipient, or for another address, one after the other. */
	script(name: string, ...acts: Act[]): void {
		this.scripts.set(name, acts);
	}

	private readonly actOn = (name = ''): Act | undefined => this.scripts.get(name)?.shift();

	/** Forgets everything, as a new service would. */
	reset(): void {
		this.arrivals = [];
		this.requests = 0;
		this.delayMs = 0;
		this.endHolds();
		this.scripts.clear();
	}

	/** Address of something else that a workflow requests, in as many kinds as there are names. */
	otherUrl(name: string): string {
		return `${this.baseUrl}/other/${name}`;
	}

	/**
	 * Lets requests wait for their responses once so many have come, until `release` or `endHolds`.
	 *
	 * @param names recipients, or names of other addresses
	 * @param isFirm whether only `endHolds` ends it
	 * @returns what waits for that moment
	 */
	hold(names: string[], after: number, isFirm = false): () => Promise<void> {
		let release = () => {};
		const released = new Promise<void>((resolve) => (release = resolve));
		const hold: Hold = { names: new Set(names), left: after, isFirm, released, release };
		this.holds.push(hold);
		const isReached = () => hold.left <= 0;
		return async () => void (await waitFor(`${after} requests for ${names[0]}`, isReached));
	}

	/** Answers what waits, except firm holds. */
	release(): void {
		for (const { isFirm, release } of this.holds) if (!isFirm) release();
	}

	/** From now on nothing is held. */
	endHolds(): void {
		for (const { release } of this.holds.splice(0)) release();
	}

	/** Waits until it has acted on so many requests. */
	async acted(count: number): Promise<void> {
		await waitFor(`${count} arrivals`, () => this.arrivals.length >= count);
	}

	/** Cuts all connections and refuses new ones for a while. */
	async away(ms: number): Promise<void> {
		const { server } = this.app;
		const { port } = server.address() as AddressInfo;
		await this.close();
		await pause(ms);
		await new Promise<void>((resolve) => server.listen(port, loopback, resolve));
	}

	async close(): Promise<void> {
		const { server } = this.app;
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	}

	/** A message, call or email, or a campaign of several messages (docs/service.md, sections 4.4 to 4.15). */
	private async send(body: Body, reply: FastifyReply): Promise<unknown> {
		this.requests++;
		const campaign = body.recipients as Array<{ phone: string }> | undefined;
		const recipients = campaign?.map(({ phone }) => phone) ?? [String(body.phone ?? body.to)];
		const act = this.actOn(recipients[0]);
		if (act === 'reject') return await refused(reply);
		// The decision falls when the request is there, as in a queue; the response takes its time.
		const at = new Date().toISOString();
		const sent = recipients.map((recipient) => ({ recipient, id: randomUUID(), at }));
		if (act !== 'cutBefore') this.arrivals.push(...sent);
		await this.held(recipients);
		if (this.delayMs > 0) await pause(this.delayMs);
		if (act) {
			reply.hijack().raw.destroy();
			return reply;
		}
		const accepted = campaign
			? { campaignId: randomUUID(), total: campaign.length, status: 'processing' }
			: { providerMessageId: sent[0]?.id, cost: 1, remainingBalance: 1_000 };
		return { success: true, message: 'Sent', ...accepted };
	}

	private async held(names: string[]): Promise<void> {
		const hold = this.holds.find((one) => one.names.has(names[0] ?? ''));
		if (!hold) return;
		hold.left -= names.length;
		if (hold.left <= 0) await hold.released;
	}

	/** The list of messages, newest first (docs/service.md, section 4.9). */
	private list({ limit = 20, offset = 0 }: Body) {
		const [size, start] = [Math.min(Number(limit), 100), Number(offset)];
		const all = this.arrivals.toReversed();
		const messages = all.slice(start, start + size).map(({ recipient, id, at }) => ({
			...{ id: `record-${id}`, to: recipient, status: 'Sent', type: 'template' },
			...{ providerMessageId: id, sentAt: at, updatedAt: at },
		}));
		const stats = { Sent: all.length, Delivered: 0, Read: 0, Failed: 0 };
		return { total: all.length, limit: size, offset: start, stats, messages };
	}
}

const refused = async (reply: FastifyReply) =>
	await reply.code(400).send({ error: 'Out of order' });
