import type { INodeParameters } from 'n8n-workflow';
import { useOneNode } from '../support/e2e/oneNode';

const workflow = useOneNode('Refusals');

const email: INodeParameters = {
	resource: 'email',
	operation: 'send',
	to: 'anna@host.example',
	subject: 'Hello',
	emailFormat: 'text',
	text: 'Hello',
};
const call: INodeParameters = {
	resource: 'voiceCall',
	operation: 'create',
	to: '919876543210',
	content: 'text',
	text: 'Hello',
};

test.each([
	['anna@host.example; ben@host.example', 'anna@host.example, ben@host.example'],
	['anna@host.example, ', 'anna@host.example'],
	['Anna <anna@host.example>, "B, en" <ben@host.example>;', 'anna@host.example, ben@host.example'],
])('an e-mail goes to %j', async (to, sent) => {
	await workflow.json({ parameters: { ...email, to } });
	expect(await workflow.accepted('/email/send')).toEqual([expect.objectContaining({ to: sent })]);
});

test('an own number of fewer than ten digits carries a call, and is no recipient', async () => {
	const own = { voiceRoute: 'ownNumber', routeNumber: '40001' };
	await workflow.control.setAssumptions({ unknownRoute: 'auto' });
	await workflow.json({ parameters: { ...call, ...own } });
	expect(await workflow.accepted('/voice/call')).toEqual([
		expect.objectContaining({ voiceRoute: '40001' }),
	]);
	const { message } = await workflow.failure({ parameters: { ...call, to: '40001' } });
	expect(message).toContain('Recipient Phone Number');
	expect(await workflow.requests('/voice/call')).toHaveLength(1);
});

test('an account without SMTP is told so, not to look at To', async () => {
	await workflow.control.setSmtp('none');
	const { description } = await workflow.failure({ parameters: email });
	expect(description).toContain('SMTP');
	expect(description).not.toContain('Check To');
});

test.each([
	[429, { error: 'Too many requests' }, 'limits the requests'],
	[200, { success: false, error: 'Not now' }, 'it did not do this'],
	[500, { error: 'Down' }, 'Try again later'],
])('%i with %j is advised for what it is', async (status, body, advice) => {
	const path = '/chat/send-template';
	await workflow.control.addFault({ kind: 'status', path, status, body });
	const { description } = await workflow.failure({
		parameters: {
			resource: 'chatMessage',
			operation: 'sendTemplate',
			phone: '919876543210',
			templateName: 'order_update',
		},
	});
	expect(description).toContain(advice);
});
