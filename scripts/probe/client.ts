import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosError } from 'axios';
import { isObject } from 'lodash';

/** Milliseconds until a request without a complete response is given up. */
const limitMs = 30_000;

/** Scopes by path (docs/service.md, section 4.1), except for paths that any key may use. */
const scopes: Record<string, string> = {
	...{ '/chat/configs': 'chat:send', '/chat/webhooks': 'chat:send' },
	...{ '/chat/campaigns': 'chat:campaigns', '/voice/call-logs': 'voice:calls' },
	'/chat/send-template': 'chat:send-template',
};

/** A response, or why there is none. */
export interface Reading {
	/** 0 without a response. */
	status: number;
	/** Parsed if it is JSON. */
	body: unknown;
	/** When it was received, by this computer's clock. */
	at: number;
	/** Why the response shows nothing; contains nothing of its body. */
	problem?: string;
}

/** Calls a service with a key. After a request without a response, or a stop, it makes no other. */
export class Client {
	private failure?: string;

	/** By how many milliseconds the service's clock is ahead: at least and at most. */
	clock?: { least: number; most: number };

	constructor(
		private readonly baseUrl: string,
		private readonly key: string,
		private readonly stop: AbortSignal,
	) {}

	/** Why it makes no other request. */
	get problem(): string | undefined {
		return this.stop.aborted ? 'stopped' : this.failure;
	}

	/** GET, which the stop aborts. */
	async read(path: string, params: object = {}): Promise<Reading> {
		if (this.problem !== undefined)
			return { status: 0, body: '', at: Date.now(), problem: this.problem };
		return await this.call('GET', path, { params }, this.stop);
	}

	/** Any request, even after a stop; never throws. */
	async call(
		method: 'DELETE' | 'GET' | 'POST',
		path: string,
		content: { params?: object; data?: object },
		stop?: AbortSignal,
	): Promise<Reading> {
		const limit = AbortSignal.timeout(limitMs);
		const before = Date.now();
		try {
			const { status, data, headers } = await axios.request<unknown>({
				...{
					method,
					url: `${this.baseUrl}${path}`,
					headers: { 'x-api-key': this.key },
					...content,
				},
				...{ validateStatus: () => true, maxRedirects: 0, maxContentLength: 50_000_000 },
				signal: AbortSignal.any([limit, ...(stop ? [stop] : [])]),
			});
			this.compareClocks(String(headers.date), before);
			const problem = problemOf(method, path, status, data);
			return { status, body: data, at: Date.now(), problem };
		} catch (error) {
			const { code, name } = error as AxiosError;
			const reason = limit.aborted ? `no response within ${limitMs / 1_000} s` : (code ?? name);
			this.failure ??= `${method} ${path}: ${reason}`;
			return { status: 0, body: '', at: Date.now(), problem: this.problem };
		}
	}

	/** Waits between two reads; false if there won't be another. */
	async pause(ms: number): Promise<boolean> {
		await sleep(ms, undefined, { signal: this.stop }).catch(() => {});
		return this.problem === undefined;
	}

	/** `Date` has whole seconds, so each response narrows the range. */
	private compareClocks(date: string, before: number): void {
		const time = Date.parse(date);
		if (Number.isNaN(time)) return;
		const { least = -Infinity, most = Infinity } = this.clock ?? {};
		this.clock = {
			least: Math.max(least, time - Date.now()),
			most: Math.min(most, time + 1_000 - before),
		};
	}
}

/** Why a response shows nothing, if it is no success with JSON (docs/service.md, section 7.2). */
function problemOf(method: string, path: string, status: number, body: unknown) {
	if (status === 401) return 'the key is rejected (status 401)';
	if (status === 403)
		return `the key has no scope ${scopes[path] ?? 'for this'} (${method} ${path})`;
	if (status < 200 || status > 299) return `${method} ${path}: status ${status}`;
	if (isObject(body) && 'success' in body && body.success === false)
		return `${method} ${path}: success is false`;
	// A deletion may have no body, and an empty list may be null (docs/service.md, sections 10.11 and 10.12).
	return method !== 'DELETE' && body !== null && !isObject(body)
		? `${method} ${path}: the response is not JSON`
		: undefined;
}
