import axios from 'axios';
import type { JournalEntry, JournalFilter } from '../journal';
import type { Control } from './control';

/** Where the control interface is served; no part of the service. */
export const controlRoot = '/__sandbox';

/** `Control` of a sandbox over HTTP, in this process or another. Every method throws on failure. */
export type SandboxControl = {
	[Name in Exclude<keyof Control, 'journal'>]: (
		...given: Parameters<Control[Name]>
	) => Promise<Awaited<ReturnType<Control[Name]>>>;
} & {
	/** What was received and delivered, in order. */
	journal<Kind extends JournalEntry['kind']>(
		filter?: JournalFilter & { kind?: Kind },
	): Promise<Array<Extract<JournalEntry, { kind: Kind }>>>;
};

/** @param url the sandbox's address without a path */
export function controlOf(url: string): SandboxControl {
	const options = { proxy: false, validateStatus: () => true } as const;
	const call =
		(_: object, name: string) =>
		async (...given: unknown[]) => {
			const address = `${url}${controlRoot}/${name}`;
			const { status, data } = await axios.post<{ error?: string }>(address, given, options);
			if (status < 300) return data;
			throw new Error(`Sandbox control ${name}: ${data.error ?? status}`);
		};
	return new Proxy({}, { get: call }) as SandboxControl;
}
