import { formOf, phone, template } from './support/probes/probe';
import { useReceiver } from './support/useReceiver';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const receiver = useReceiver();

const keys = () => {
	const { production, test: testKey } = fixture.sandbox.keys;
	return [production, testKey].map((key) => fixture.caller({ 'x-api-key': key })) as [
		ReturnType<typeof fixture.caller>,
		ReturnType<typeof fixture.caller>,
	];
};

test('a key sees only what keys of its kind have sent', async () => {
	const [production, testing] = keys();
	await production.post('/chat/send-template', template);
	await testing.post('/voice/call', { to: '+919812345678', audioName: 'x' });
	const seen = await Promise.all(
		[production, testing].map(async (api) => [
			(await api.get('/chat/campaigns')).data.total,
			(await api.get('/voice/call-logs')).data.pagination.total,
		]),
	);
	expect(seen).toEqual([
		[1, 0],
		[0, 1],
	]);
	expect(await fixture.control.messages()).toHaveLength(1);
	expect(await fixture.control.calls()).toHaveLength(1);
});

test('a registration hears of its own environment, and only its keys can remove it', async () => {
	const [production, testing] = keys();
	const register = { url: receiver.url, events: ['message.sent'] };
	const { id } = (await testing.post('/chat/webhooks', register)).data.webhook;
	await production.post('/chat/send-template', template);
	await testing.post('/chat/send-template', { ...template, phone: '14155550199' });
	await fixture.control.settle();
	expect(receiver.events.map(({ data }) => data.to)).toEqual(['14155550199']);
	expect((await production.get('/chat/webhooks')).data.webhooks).toEqual([]);
	expect((await production.delete(`/chat/webhooks?id=${id}`)).status).toBe(404);
	expect((await testing.delete(`/chat/webhooks?id=${id}`)).status).toBe(200);
});

test('a file belongs to the environment that it was uploaded in', async () => {
	const [production, testing] = keys();
	const form = formOf({}, { name: 'a.png', bytes: 1 });
	const { mediaId } = (await testing.post('/chat/upload', form)).data;
	const body = { phone, type: 'image', mediaId };
	expect((await production.post('/chat/send-media', body)).status).toBe(400);
	expect((await testing.post('/chat/send-media', body)).status).toBe(200);
});

test('records of test keys can be seeded', async () => {
	const [production, testing] = keys();
	await fixture.control.addMessages(2, { test: true });
	await fixture.control.addCalls(3, { test: true });
	expect((await production.get('/chat/campaigns')).data.total).toBe(0);
	expect((await testing.get('/chat/campaigns')).data.total).toBe(2);
	expect((await testing.get('/voice/call-logs')).data.pagination.total).toBe(3);
});
