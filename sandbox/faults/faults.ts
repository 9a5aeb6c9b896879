import type { Socket } from 'node:net';
import { pathMatcher } from '../http/endpoint';
import type { RequestEntry } from '../journal';
import type { Fault } from './kinds';

interface MatchedRequest extends Pick<RequestEntry, 'method' | 'path'> {
	/** Text of the body; empty for forms. */
	text: string;
}

/** A fault that is set, with what it has done so far. */
interface ActiveFault {
	fault: Fault;
	/** Matching requests seen. */
	seen: number;
	/** Requests hit. */
	hits: number;
}

/** The faults that are set. At most one of them hits a request: the first that was added. */
export class Faults {
	private faults: ActiveFault[] = [];

	private readonly held = new Set<Socket>();

	add(fault: Fault): ActiveFault {
		const active = { fault, seen: 0, hits: 0 };
		this.faults.push(active);
		return active;
	}

	/** Those that can still hit. */
	waiting(): ActiveFault[] {
		return this.faults.filter(
			({ fault, hits }) => fault.count === 'infinite' || hits < fault.count,
		);
	}

	clear(): void {
		this.faults = [];
	}

	/** The fault that hits this request; counts it. */
	match(request: MatchedRequest): Fault | undefined {
		return this.waiting().find((active) => this.hits(active, request))?.fault;
	}

	/** Keeps a connection that gets no response until it is closed or released. */
	hold(socket: Socket): void {
		this.held.add(socket);
		socket.once('close', () => this.held.delete(socket));
	}

	/** Closes the connections that wait for a response in vain. */
	release(): void {
		for (const socket of this.held) socket.destroy();
	}

	private hits(active: ActiveFault, request: MatchedRequest): boolean {
		const { fault } = active;
		if (fault.method && fault.method !== request.method) return false;
		if (!pathMatcher(fault.path).test(request.path)) return false;
		if (fault.bodyContains && !request.text.includes(fault.bodyContains)) return false;
		active.seen += 1;
		if (active.seen <= fault.skip) return false;
		active.hits += 1;
		return true;
	}
}
