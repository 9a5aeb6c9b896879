import { CredentialTestContext } from 'n8n-core';
import type { IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import fc from 'fast-check';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { MessagingServicePollingTrigger } from '../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node';
import { MessagingServiceApi } from '../../credentials/MessagingServiceApi.credentials';
import { response, useStandIn } from '../support/raw/standIn';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();
const standIn = useStandIn();
const key = `msk_${'0123456789'.repeat(3)}`;

/** Tests a credential as n8n does when it is saved. */
async function verdict(baseUrl: string, apiKey = key) {
	const context = new CredentialTestContext({} as IWorkflowExecuteAdditionalData);
	const { testCredential } = new MessagingService().methods.credentialTest;
	const credential = { id: '1', name: 'Test', type: 'messagingServiceApi' };
	return await testCredential.call(context, {
		...credential,
		data: { baseUrl, apiKey, countryCodes: '' },
	});
}

/** The message of a test that fails. */
async function rejection(baseUrl: string): Promise<string> {
	const { status, message } = await verdict(baseUrl);
	expect(status).toBe('Error');
	expect(message).not.toContain(key);
	expect(message).not.toMatch(/<\w/);
	return message;
}

test('n8n finds the test at every node, and none at the credential', () => {
	for (const node of [MessagingService, MessagingServiceTrigger, MessagingServicePollingTrigger]) {
		const { description, methods } = new node();
		expect(description.credentials).toMatchObject([{ testedBy: 'testCredential' }]);
		expect(methods.credentialTest).toHaveProperty('testCredential');
	}
	expect(new MessagingServiceApi()).not.toHaveProperty('test');
});

test('a good credential passes with one read', async () => {
	const { baseUrl, apiKey } = sandbox.credential();
	const good = { status: 'OK', message: 'Connection successful' };
	expect(await verdict(` ${baseUrl}/ `, ` ${apiKey}\n`)).toEqual(good);
	expect(await sandbox.requests()).toMatchObject([{ method: 'GET', path: '/balance' }]);
});

test('the key is sent nowhere but below the base URL, whatever it is', async () => {
	const { host } = new URL(standIn.credential.baseUrl);
	standIn.respond = ({ socket }) => socket.end(response({ error: 'No' }, { status: '404 No' }));
	const part = fc.constantFrom('%40', '..', ...'@#?/\\: \ta[;');
	const parts = fc.array(part, { maxLength: 5 }).map((list) => list.join(''));
	await fc.assert(
		fc.asyncProperty(parts, parts, async (before, after) => {
			standIn.arrivals.length = 0;
			await rejection(`http://${before}${host}/api/v1${after}`);
			for (const arrival of standIn.arrivals) {
				expect(before).toBe('');
				expect(arrival).toMatch(/^GET [^?#]*\/balance HTTP/);
			}
		}),
		{ numRuns: 100 },
	);
});

const headers = { Location: `https://a.example/?k=${key}` };
const dashboard =
	're-enable it on the dashboard in Settings > API Keys. A test key (with _test_ in it)';
test.each([
	[
		response({ error: 'No key' }, { status: '401 No' }),
		`No key. Check the API key of the credential, or ${dashboard}`,
	],
	[
		response('<!doctype html><title>Hi</title>'),
		"a web page. Check that the credential's base URL",
	],
	[response({ hello: 'world' }), 'has no usable balances'],
	[response({ success: false, error: 'Not you' }), 'Not you. '],
	[
		response('', { status: '302 Found', headers }),
		'The base URL redirects to https://a.example/?k=[API key]. Correct the base URL',
	],
])('a response other than balances fails the test (%#)', async (bytes, expected) => {
	standIn.respond = ({ socket }) => socket.end(bytes);
	expect(await rejection(standIn.credential.baseUrl)).toContain(expected);
	expect(standIn.arrivals).toHaveLength(1);
});
