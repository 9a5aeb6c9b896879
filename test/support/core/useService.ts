import axios, { type AxiosResponse } from 'axios';
import { startSandbox, type Sandbox } from '../../../sandbox';

/** A sandbox for all tests of a file, as new before each of them; nothing moves in it by itself. */
export function useService() {
	let sandbox: Sandbox;
	beforeAll(async () => void (sandbox = await startSandbox({ lifecycle: { enabled: false } })));
	afterAll(async () => await sandbox.close());
	beforeEach(async () => await sandbox.control.reset());
	/** A caller with the given headers; any status is a response. */
	const caller = (headers: Record<string, string>) => {
		const settings = { maxRedirects: 0, proxy: false, validateStatus: () => true } as const;
		return axios.create({ baseURL: sandbox.baseUrl, headers, ...settings });
	};
	return {
		caller,
		get sandbox() {
			return sandbox;
		},
		get control() {
			return sandbox.control;
		},
		/** A caller with the production key, which has every scope. */
		get api() {
			return caller({ 'x-api-key': sandbox.keys.production });
		},
	};
}

/** What is asserted of most responses. */
export function shown({ status, data }: AxiosResponse<unknown>): { status: number; data: unknown } {
	return { status, data };
}
