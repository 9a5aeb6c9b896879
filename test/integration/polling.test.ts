// What polls find is tested in test/unit/polling and test/fuzz/polling, and through a restart of n8n in test/e2e.
import { failureOf } from '../support/core/execute';
import { polling } from '../support/core/poll';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

test('a key that is wrong, or lacks the scope, is told with what to do in the message', async () => {
	const { baseUrl } = sandbox.credential();
	const { key } = await sandbox.control.createKey({ scopes: [] });
	const messageOf = async (apiKey: string) => {
		const poll = polling({ baseUrl, apiKey }, { watch: 'messages', statuses: ['Read'] });
		return (await failureOf(poll())).message;
	};
	expect(await messageOf('wrong')).toContain('Check the API key of the credential');
	expect(await messageOf(key)).toContain('add the scope chat:campaigns to the API key');
});
