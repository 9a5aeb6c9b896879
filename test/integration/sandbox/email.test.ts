import { shown, useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const mail = { to: 'ann@example.com', subject: 'Hello', text: 'Hello Ann' };

function send(body: object) {
	return fixture.api.post('/email/send', body);
}

test.each([
	['text', { ...mail }, 1],
	['HTML', { to: mail.to, subject: 'Hello', html: '<p>Hello</p>' }, 1],
	['a list', { ...mail, to: 'ann@example.com, bob@example.com,cy@example.com' }, 3],
	['all fields', { ...mail, fromName: 'Shop', replyTo: 'shop@example.com', important: true }, 1],
])('sends %s for a credit per recipient', async (_case, body, cost) => {
	await fixture.control.setAccount({ emailBalance: 5 });
	expect(shown(await send(body))).toEqual({
		status: 200,
		data: {
			success: true,
			messageId: expect.any(String),
			cost,
			remainingBalance: 5 - cost,
		},
	});
});

test.each([
	['to', { subject: 'Hello', text: 'x' }],
	['subject', { to: mail.to, text: 'x' }],
	['both bodies', { to: mail.to, subject: 'Hello' }],
	['everything', {}],
	['a body that is not empty', { ...mail, text: '  ' }],
])('answers 400 without %s', async (_case, body) => {
	expect(shown(await send(body))).toEqual({
		status: 400,
		data: { error: 'to, subject and either html or text are required' },
	});
});

test.each(['ann', 'ann@example.com,', 'ann@example.com; bob@example.com'])(
	'answers 400 for the address %s',
	async (to) => {
		expect((await send({ ...mail, to })).status).toBe(400);
	},
);

test('answers 400 without SMTP settings', async () => {
	await fixture.control.setSmtp('none');
	expect(shown(await send(mail))).toEqual({
		status: 400,
		data: { error: 'SMTP is not configured for this account' },
	});
});

test('answers 402 when the credits do not cover all recipients', async () => {
	await fixture.control.setAccount({ emailBalance: 1 });
	const list = { ...mail, to: 'ann@example.com,bob@example.com' };
	expect(shown(await send(list))).toEqual({
		status: 402,
		data: { error: 'Insufficient email balance' },
	});
	expect((await send(mail)).data.remainingBalance).toBe(0);
});

test('answers 500 when the provider rejects, and charges nothing', async () => {
	await fixture.control.setSmtp('rejecting');
	const before = (await fixture.control.account()).emailBalance;
	expect(shown(await send(mail))).toEqual({
		status: 500,
		data: { error: 'The SMTP provider rejected the message' },
	});
	expect((await fixture.control.account()).emailBalance).toBe(before);
	await fixture.control.setSmtp('working');
	expect((await send(mail)).status).toBe(200);
});
