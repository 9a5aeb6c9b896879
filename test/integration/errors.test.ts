import '../support/core/shortWaits';
import type { INodeParameters } from 'n8n-workflow';
import { useSandbox } from '../support/core/useSandbox';
import { goodParameters } from '../support/operations';

const sandbox = useSandbox();

/** An operation with its good parameters. */
function call(name: string, own: INodeParameters = {}): INodeParameters {
	const [resource = '', operation = ''] = name.split('.');
	return { resource, operation, ...goodParameters[name], ...own };
}
const template = call('chatMessage.sendTemplate');

describe("the service's text comes first, then what to do", () => {
	test.each<[string, () => Promise<unknown>, INodeParameters, string, string]>([
		[
			'400',
			async () => {},
			{ ...template, templateName: 'pending_review' },
			"Template 'pending_review' does not exist or is not approved",
			'Check Template Name: the template must exist and be approved. Nothing was sent.',
		],
		[
			'402',
			async () => await sandbox.control.setAccount({ chatBalance: 0 }),
			template,
			'nsufficient',
			'chat credits',
		],
		[
			'402',
			async () => await sandbox.control.setAccount({ voiceMins: 0 }),
			call('voiceCall.create'),
			'nsufficient',
			'voice minutes',
		],
		[
			'402',
			async () => await sandbox.control.setAccount({ emailBalance: 0 }),
			call('email.send'),
			'nsufficient',
			'email credits',
		],
		['404', async () => {}, call('webhook.delete'), '', 'Check the ID'],
		[
			'500',
			async () => await sandbox.control.setVoiceRoutes({ carrier_in1: false }),
			call('voiceCall.create'),
			'carrier_in1',
			'credentials are configured for the voice route',
		],
		[
			'500',
			async () => await sandbox.control.setChatSession(false),
			call('chatMessage.send'),
			'',
			'browser session',
		],
	])('%s (%#)', async (status, prepare, parameters, message, advice) => {
		await prepare();
		const error = await sandbox.failure(parameters);
		expect(error.httpCode).toBe(status);
		expect(error.message).toContain(message);
		expect(error.description).toContain(advice);
		expect(error.context).toMatchObject({ itemIndex: 0, data: { outcome: 'rejected' } });
		expect(await sandbox.requests()).toHaveLength(1);
		const [item] = await sandbox.json(parameters, { node: { onError: 'continueRegularOutput' } });
		expect(item).toMatchObject({ error: error.message, details: { statusCode: Number(status) } });
	});

	test('401 and 403 speak of the key', async () => {
		const { key } = await sandbox.control.createKey({ scopes: ['balance:read'] });
		const failureOf = async (apiKey: string) =>
			await sandbox.failure(template, { credential: sandbox.credential(apiKey) });
		expect((await failureOf('nonsense')).description).toContain('Settings > API Keys');
		const { message, description } = await failureOf(key);
		expect(message).toContain("does not have the 'chat:send-template' permission");
		expect(description).toContain('Add the scope chat:send-template');
	});
});
