import { ManualClock } from '../../../sandbox';
import { allEndpoints } from '../../../sandbox/routes';
import { underAssumptions } from '../../support/assumptions/drawn';
import { formOf, phone } from './support/probes/probe';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox(() => ({ clock: new ManualClock() }));

/** What an endpoint is asked with, and answers; of any other it is enough that it does not break. */
const asked: Record<string, { data?: () => unknown; status?: number }> = {
	'POST /chat/send': { data: () => ({ phone, message: 'Hello' }) },
	'POST /chat/send-template': { data: () => formOf({ phone, templateName: 'order_update' }) },
	'POST /chat/send-media': {
		data: () => ({ phone, type: 'image', mediaUrl: 'https://files.example/a.png' }),
	},
	'POST /chat/upload': { data: () => formOf({}, { name: 'a.png', bytes: 1 }) },
	'POST /chat/bulk-send': {
		data: () => ({ templateName: 'seasonal_offer', recipients: [{ phone }] }),
	},
	'POST /chat/webhooks': { data: () => ({ url: 'https://127.0.0.1:1/x' }), status: 201 },
	'DELETE /chat/webhooks': { status: 400 },
	'POST /voice/call': { data: () => ({ to: '+919812345678', audioName: 'Hello' }) },
	'POST /email/send': {
		data: () => ({ to: 'ann@mail.example', subject: 'Hello', text: 'Hello' }),
	},
};

test('every endpoint works under any set of assumptions', async () => {
	await underAssumptions(async (assumptions) => {
		await fixture.control.reset();
		await fixture.control.setAssumptions(assumptions);
		for (const { method, path } of allEndpoints) {
			const known = asked[`${method} ${path}`];
			const usual = method === 'GET' && !path.includes(':') ? [200] : [200, 201, 400, 404];
			const wanted = known ? [known.status ?? 200] : usual;
			const { status } = await fixture.api.request({ method, url: path, data: known?.data?.() });
			expect({ path, wanted: wanted.includes(status) ? wanted : status }).toEqual({ path, wanted });
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
		const callStatus = assumptions.callSteps === 'stayAnswered' ? 'answered' : 'success';
		expect(await fixture.control.calls()).toMatchObject([{ callStatus }]);
		expect(await fixture.control.emails()).toMatchObject([{ to: ['ann@mail.example'] }]);
	});
});
