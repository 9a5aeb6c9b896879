import type { SandboxFixture } from '../useSandbox';
import type { Receiver } from '../useReceiver';

/** What a probe may use. */
export interface Bench {
	fixture: SandboxFixture;
	receiver: Receiver;
}

/** A look at the service, and what it shows under each setting of an assumption, in their order. */
export interface Probe {
	look: (bench: Bench) => Promise<unknown>;
	shows: readonly [unknown, unknown, ...unknown[]];
}

export const phone = '919812345678';
export const template = { phone, templateName: 'order_update' };
export const call = { to: '+919812345678', audioName: 'Hello' };

/** The statuses of requests that are made one after the other. */
export async function statuses(
	...requests: Array<() => Promise<{ status: number }>>
): Promise<number[]> {
	const seen: number[] = [];
	for (const request of requests) seen.push((await request()).status);
	return seen;
}

export function formOf(fields: Record<string, string>, file?: { name: string; bytes: number }) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	if (file) form.set('file', new Blob([Buffer.alloc(file.bytes, 'x')]), file.name);
	return form;
}
