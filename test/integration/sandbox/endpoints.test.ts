import { ManualClock } from '../../../sandbox';
import { allEndpoints } from '../../../sandbox/routes';
import { underAssumptions } from '../../support/assumptions/drawn';
import { formOf, phone } from './support/probes/probe';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox(() => ({ clock: new ManualClock() }));

const bodies: Record<string, () => unknown> = {
	'/chat/send': () => ({ phone, message: 'Hello' }),
	'/chat/send-template': () => formOf({ phone, templateName: 'order_update' }),
	'/chat/send-media': () => ({ phone, type: 'image', mediaUrl: 'https://files.example/a.png' }),
	'/chat/upload': () => formOf({}, { name: 'a.png', bytes: 1 }),
	'/chat/bulk-send': () => ({ templateName: 'seasonal_offer', recipients: [{ phone }] }),
	'/chat/webhooks': () => ({ url: 'https://127.0.0.1:1/x' }),
	'/voice/call': () => ({ to: '+919812345678', audioName: 'Hello' }),
	'/email/send': () => ({ to: 'ann@mail.example', subject: 'Hello', text: 'Hello' }),
};

/** What a request without a query gets; nothing has the name of a path parameter as its id. */
function statusOf(method: string, path: string): number {
	if (path.includes(':')) return 404;
	if (method === 'DELETE') return 400;
	return method === 'POST' && path === '/chat/webhooks' ? 201 : 200;
}

test('every endpoint works under any set of assumptions', async () => {
	await underAssumptions(async (assumptions) => {
		await fixture.control.reset();
		await fixture.control.setAssumptions(assumptions);
		for (const { method, path } of allEndpoints) {
			const data = method === 'POST' ? bodies[path]?.() : undefined;
			const { status } = await fixture.api.request({ method, url: path, data });
			expect({ path, status }).toEqual({ path, status: statusOf(method, path) });
			const failed = await fixture.api.request({ method, url: `${path}/%zz` });
			expect(failed.data).toEqual({ error: expect.any(String) });
		}
		for (let step = 0; step < 3; step++) {
			await fixture.control.advance(1_000);
			await fixture.control.settle();
		}
		const wanted = assumptions.chatSendRecords === 'none' ? 3 : 4;
		const messages = await fixture.control.messages();
		expect(messages.map(({ status }) => status)).toEqual(Array(wanted).fill('Read'));
		expect(await fixture.control.calls()).toMatchObject([{ callStatus: 'success' }]);
		expect(await fixture.control.emails()).toMatchObject([{ to: ['ann@mail.example'] }]);
	});
});
