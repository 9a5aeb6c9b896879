import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { startSandbox, type Sandbox, type SandboxControl } from '../../../../sandbox';

/** A sandbox for all tests of a file, as new before each of them; nothing moves in it by itself. */
class SandboxFixture {
	running: Sandbox | undefined;

	get sandbox(): Sandbox {
		if (!this.running) throw new Error('The sandbox runs only during tests');
		return this.running;
	}

	get control(): SandboxControl {
		return this.sandbox.control;
	}

	/** A caller with the given headers; any status is a response. */
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
}

export function useSandbox(): SandboxFixture {
	const fixture = new SandboxFixture();
	beforeAll(async () => {
		fixture.running = await startSandbox({ lifecycle: { enabled: false } });
	});
	afterAll(() => fixture.sandbox.close());
	beforeEach(() => fixture.control.reset());
	afterEach(() => jest.useRealTimers());
	return fixture;
}

/** Lets the sandbox's time move only by `jest.advanceTimersByTimeAsync`, until the end of the test. */
export function stopClock(): void {
	jest.useFakeTimers({
		doNotFake: [
			'hrtime',
			'nextTick',
			'performance',
			'queueMicrotask',
			'setImmediate',
			'setInterval',
		],
	});
}

/** What is asserted of most answers. */
export function shown({ status, data }: AxiosResponse<unknown>): { status: number; data: unknown } {
	return { status, data };
}

export const phone = '919812345678';
export const template = { phone, templateName: 'order_update' };
export const call = { to: '+919812345678', audioName: 'Hello' };

export function formOf(fields: Record<string, string>, file?: { name: string; bytes: number }) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	if (file) form.set('file', new Blob([Buffer.alloc(file.bytes, 'x')]), file.name);
	return form;
}
