import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import {
	ManualClock,
	startSandbox,
	type Sandbox,
	type SandboxControl,
	type SandboxOptions,
} from '../../../../sandbox';

/** A sandbox for all tests of a file, as new before each of them. Its time stands still by default. */
export class SandboxFixture {
	private running: Sandbox | undefined;

	get sandbox(): Sandbox {
		if (!this.running) throw new Error('The sandbox runs only during tests');
		return this.running;
	}

	get control(): SandboxControl {
		return this.sandbox.control;
	}

	/** A caller with the given headers; any status is an response. */
	caller(headers: Record<string, string>): AxiosInstance {
		return axios.create({
			baseURL: this.sandbox.baseUrl,
			headers,
			maxRedirects: 0,
			proxy: false,
			validateStatus: () => true,
		});
	}

	/** A caller with the production key, which has every scope. */
	get api(): AxiosInstance {
		return this.caller({ 'x-api-key': this.sandbox.keys.production });
	}

	async start(options: SandboxOptions): Promise<void> {
		this.running = await startSandbox(options);
	}

	async stop(): Promise<void> {
		await this.sandbox.close();
	}
}

export function useSandbox(options: () => SandboxOptions = () => ({ clock: new ManualClock() })) {
	const fixture = new SandboxFixture();
	beforeAll(() => fixture.start(options()));
	afterAll(() => fixture.stop());
	beforeEach(() => fixture.control.reset());
	return fixture;
}

/** What is asserted of most answers. */
export function shown({ status, data }: AxiosResponse<unknown>): { status: number; data: unknown } {
	return { status, data };
}
