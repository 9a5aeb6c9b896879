import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { startSandbox, type Sandbox, type SandboxControl } from '../../../../sandbox';

/** A sandbox for all tests of a file, as new before each of them; nothing moves in it by itself. */
class Fixture {
	sandbox!: Sandbox;

	get control(): SandboxControl {
		return this.sandbox.control;
	}

	/** A caller with the given headers; any status is a response. */
	caller(headers: Record<string, string>): AxiosInstance {
		const { baseUrl: baseURL } = this.sandbox;
		const settings = { maxRedirects: 0, proxy: false, validateStatus: () => true } as const;
		return axios.create({ baseURL, headers, ...settings });
	}

	/** A caller with the production key, which has every scope. */
	get api(): AxiosInstance {
		return this.caller({ 'x-api-key': this.sandbox.keys.production });
	}
}

export function useSandbox(): Fixture {
	const fixture = new Fixture();
	beforeAll(async () => {
		fixture.sandbox = await startSandbox({ lifecycle: { enabled: false } });
	});
	afterAll(() => fixture.sandbox.close());
	beforeEach(() => fixture.control.reset());
	return fixture;
}

/** What is asserted of most answers. */
export function shown({ status, data }: AxiosResponse<unknown>): { status: number; data: unknown } {
	return { status, data };
}

export const phone = '447700900678';
export const template = { phone, templateName: 'order_update' };
export const call = { to: '+447700900678', audioName: 'Hello' };
