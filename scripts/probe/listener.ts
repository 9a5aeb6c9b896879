import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { attempt, isPlainObject } from 'lodash';

/** How many times an event waits a tenth of a look for the response of the message. */
const holds = 10;

/** Milliseconds in which the public URL must lead here. */
const reachMs = 30_000;

/** A delivery of the service. */
export interface Delivery {
	/** The raw body. */
	body: string;
	event: Record<string, unknown>;
	/** Empty without one. */
	signature: string;
	/** Whether it was responded to before the message had its response. */
	isBeforeResponse: boolean;
}

/** Receives the service's deliveries on a port of this computer. */
export class Listener {
	readonly deliveries: Delivery[] = [];

	/** Holds deliveries back while a message is being sent. */
	isSending = false;

	/** Part of the URL that only the service learns. */
	private readonly token = randomUUID();

	private readonly server = http.createServer((request, response) => {
		if (request.url?.includes(this.token))
			void this.receive(request).then(() => response.end(this.token));
		else response.writeHead(404).end();
	});

	/** @param lookMs milliseconds between two looks for the response of the message */
	constructor(private readonly lookMs: number) {}

	/**
	 * Listens behind a public URL.
	 * @returns a URL below it that is used for nothing else
	 * @throws if the port is in use, or the public URL does not lead to it
	 */
	async listen(publicUrl: string, port: number, stop: AbortSignal): Promise<string> {
		await once(this.server.listen(port), 'listening');
		const url = new URL(publicUrl);
		url.pathname = `${url.pathname.replace(/\/+$/, '')}/${this.token}`;
		const signal = AbortSignal.any([stop, AbortSignal.timeout(reachMs)]);
		const reached = await axios
			.get<unknown>(url.href, { signal, maxRedirects: 0 })
			.catch(() => undefined);
		if (reached?.data === this.token) return url.href;
		await this.close();
		throw new Error(`The URL of --listen does not lead to port ${port} of this computer`);
	}

	async close(): Promise<void> {
		const closed = once(this.server.close(), 'close');
		this.server.closeAllConnections();
		await closed;
	}

	private async receive(request: http.IncomingMessage): Promise<void> {
		const body = await text(request).catch(() => '');
		const event: unknown = attempt(JSON.parse, body);
		if (!isPlainObject(event)) return;
		const delivery: Delivery = {
			...{ body, event: event as Delivery['event'], isBeforeResponse: false },
			signature: String(request.headers['x-webhook-signature'] ?? ''),
		};
		this.deliveries.push(delivery);
		// A service that sends events first responds to the message only after this.
		for (let looks = 0; this.isSending && looks < holds; looks++) await sleep(this.lookMs / 10);
		delivery.isBeforeResponse = this.isSending;
	}
}
