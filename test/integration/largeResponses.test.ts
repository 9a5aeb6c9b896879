import { createRunExecutionData, type IDataObject, type INodeParameters } from 'n8n-workflow';
import { execute } from '../support/core/execute';
import { accepted, template } from '../support/raw/runs';
import { response, useStandIn } from '../support/raw/standIn';

const standIn = useStandIn();
const megabytes = 'x'.repeat(8_000_000);
const phone = '919876543210';

function answerWith(body: IDataObject): void {
	const bytes = response(body);
	standIn().answer = ({ socket }) => socket.end(bytes);
}

const paid = { success: true, cost: 1 };
const shortened = expect.stringMatching(/^\(8000002 characters left out\)$/) as string;

test.each<[string, INodeParameters, IDataObject]>([
	['a template', template, accepted],
	['a text', { resource: 'chatMessage', operation: 'send', phone, message: 'Hi' }, paid],
	[
		'a call',
		{ resource: 'voiceCall', operation: 'create', to: phone, text: 'Hi' },
		{ success: true, callId: 'c1' },
	],
	[
		'an email',
		{ resource: 'email', operation: 'send', to: 'a@host.example', subject: 'Hi', html: 'Hi' },
		{ success: true, messageId: 'e1' },
	],
	[
		'a campaign',
		{
			resource: 'bulkCampaign',
			operation: 'create',
			templateName: 'order_update',
			recipientsSource: 'json',
			recipientsJson: JSON.stringify([{ phone }]),
		},
		{ success: true, campaignId: 'b1' },
	],
])('%s whose response has megabytes is accepted, in short', async (_name, parameters, small) => {
	answerWith({ note: megabytes, ...small });
	const [item] = await execute({ credential: standIn().credential, parameters });
	expect(item?.json).toMatchObject({ ...small, note: shortened });
	expect(JSON.stringify(item?.json).length).toBeLessThan(11_000);
	expect(standIn().arrivals).toHaveLength(1);
});

test('what costs nothing keeps all, such as the secret of a registration', async () => {
	const webhook = { id: 'w1', secret: 'its secret', events: ['message.sent'] };
	answerWith({ webhook: { note: megabytes, ...webhook } });
	const parameters = { resource: 'webhook', operation: 'create', url: 'https://host.example/' };
	const [item] = await execute({ credential: standIn().credential, parameters });
	expect(item?.json).toEqual({ note: megabytes, ...webhook });
});

test('a try after a failure remembers it in short, and sends it no second time', async () => {
	const refusal = response({ error: 'No credits' }, { status: '402 Payment Required' });
	const large = response({ ...accepted, message: megabytes });
	let answered = 0;
	standIn().answer = ({ socket }) => socket.end(++answered === 2 ? refusal : large);
	const runExecutionData = createRunExecutionData();
	const run = async () =>
		await execute({
			credential: standIn().credential,
			parameters: { ...template, options: { batching: { batch: { batchSize: 1 } } } },
			items: [{ json: { a: 1 } }, { json: { a: 2 } }],
			runExecutionData,
		});
	await expect(run()).rejects.toThrow('No credits');
	const saved = JSON.stringify(runExecutionData.executionData?.contextData);
	expect(saved).toContain(accepted.providerMessageId);
	expect(saved.length).toBeLessThan(12_000);

	const items = await run();
	expect(items.map(({ json }) => json)).toEqual([
		{ ...accepted, message: shortened },
		{ ...accepted, message: shortened },
	]);
	expect(standIn().arrivals).toHaveLength(3);
});

test('a list stays whole', async () => {
	answerWith({ messages: [{ id: 'm1', to: phone, content: megabytes }], total: 1 });
	const parameters = { resource: 'chatMessage', operation: 'getMany', returnAll: true };
	const [item] = await execute({ credential: standIn().credential, parameters });
	expect(item?.json.content).toBe(megabytes);
});
