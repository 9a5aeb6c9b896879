import { NodeApiError, type IHookFunctions } from 'n8n-workflow';
import { node } from '../../../harness/builders';
import { Failure } from '../../../nodes/MessagingService/api/failure';
import { publishing } from '../../../nodes/MessagingService/trigger/publishing';

/** The message of a step of publishing that fails. */
async function messageOf(url: string | undefined, statusCode: number, mode = 'trigger') {
	const context = {
		getNode: () => node('Trigger', 'a.b'),
		getNodeWebhookUrl: (name: string) => (name === 'default' ? url : 'https://other.example'),
		getMode: () => mode,
	} as unknown as IHookFunctions;
	const failure = new Failure('No', { outcome: 'rejected', description: 'Do.', statusCode });
	const error: unknown = await publishing(context, async () => await Promise.reject(failure)).catch(
		(thrown: unknown) => thrown,
	);
	expect(error).toBeInstanceOf(NodeApiError);
	return (error as NodeApiError).message;
}

const deaf = 'Until this is done this trigger receives no events: then press Publish again.';
const insecure = (url: string) =>
	`The service accepts only HTTPS URLs, but n8n's webhook URL is ${url}. Set the environment variable WEBHOOK_URL of n8n to its public https:// address and restart n8n.`;

test.each<[string | undefined, number, string]>([
	['https://n8n.example/webhook', 400, 'Do.'],
	['http://n8n.example/https://', 400, insecure('http://n8n.example/https://')],
	['http://n8n.example', 403, 'Do.'],
	[undefined, 400, insecure('')],
])('at the URL %s, a refusal with status %i says what to do', async (url, status, advice) => {
	expect(await messageOf(url, status)).toBe(`No. ${advice} ${deaf}`);
	expect(await messageOf(url, status, 'manual')).toBe(`No. ${advice}`);
});
