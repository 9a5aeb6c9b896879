import { firstRequest } from '../../support/unit/fakeRead';

// Values that JSON can hold and that JavaScript stumbles over when it makes text or a number of them.
const noText = { toString: 1, valueOf: 1 };

async function refusal(name: string, parameters: Record<string, unknown>): Promise<string> {
	try {
		return JSON.stringify(await firstRequest(name, parameters));
	} catch (error) {
		return (error as Error).message;
	}
}

const template = { phone: '919876543210', templateName: 'welcome', header: 'none' };
const email = { emailFormat: 'text', text: 'T', subject: 'S' };
const call = { to: '919876543210', content: 'text', text: 'Hi', voiceRoute: 'auto' };

test.each<[string, Record<string, unknown>, string]>([
	['webhook.create', { url: 'https://h.example', events: [noText] }, 'Events is not text'],
	['chatMessage.getMany', { limit: noText }, 'Limit is not a number'],
	['chatMessage.getMany', { limit: true }, 'Limit is not a number'],
	['chatMessage.getMany', { limit: ' ' }, 'Limit is not a number'],
	['chatMessage.getMany', { limit: 1e300 }, 'Limit is more than 2147483647'],
	['voiceCall.getMany', { limit: 1, filters: { from: { toISO: 1 } } }, 'From is not a date'],
	['email.send', { ...email, to: 'a'.repeat(200_000) }, 'aaa…" is not an email address'],
	[
		'email.send',
		{ ...email, to: 'a@host.example, @host.example' },
		'To "@host.example" is not an email address',
	],
	[
		'voiceCall.create',
		{ ...call, options: { waitForCompletion: true, pollInterval: 1e9 } },
		'Wait Between Checks (Seconds) is more than 2147483',
	],
	[
		'chatMessage.sendTemplate',
		{ ...template, parametersUi: { parameter: 'Anna' } },
		'Parameters is not a list of rows with a value each',
	],
	[
		'chatMessage.sendTemplate',
		{ ...template, parametersUi: 'Anna' },
		'Parameters is not a list of rows with a value each',
	],
])('%s refuses what it cannot send', async (name, parameters, message) => {
	expect(await refusal(name, parameters)).toContain(message);
});

test('a number as text is taken for one', async () => {
	expect(await refusal('chatMessage.getMany', { limit: ' 55 ' })).toContain('"method":"GET"');
});
