import '../support/core/shortWaits';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Assumptions } from '../../sandbox';
import { underAssumptions } from '../support/assumptions';
import { useSandbox } from '../support/core/useSandbox';
import { describedOperations, goodParameters, neededBy } from '../support/operations';

const sandbox = useSandbox();
const { json } = sandbox;

const start = Date.parse('2026-03-10T00:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
const phone = '919876543210';
const withFile: INodeExecutionData[] = [
	{
		json: { phone },
		binary: {
			data: {
				data: Buffer.from('%PDF').toString('base64'),
				fileName: 'a.pdf',
				mimeType: 'application/pdf',
			},
		},
	},
];

/** A single look, so that nothing waits. */
const oneLook = { maxWait: 1, pollInterval: 2 };

/** An operation with the examples of its fields, and what differs from them. */
function parametersOf(name: string, change: INodeParameters = {}): INodeParameters {
	const [resource = '', operation = ''] = name.split('.');
	return { resource, operation, ...goodParameters[name], ...change };
}

/** Runs an operation and gives the JSON of its items. */
const run = async (name: string, change: INodeParameters = {}): Promise<IDataObject[]> =>
	await json(parametersOf(name, change), { items: withFile });

/** What the service itself shows. */
async function shown(path: string): Promise<IDataObject> {
	const { baseUrl, apiKey } = sandbox.credential();
	const response = await fetch(`${baseUrl}${path}`, { headers: { 'x-api-key': apiKey } });
	return (await response.json()) as IDataObject;
}

async function every(check: (assumptions: Assumptions) => Promise<void>): Promise<void> {
	await underAssumptions(async (assumptions) => {
		await sandbox.control.reset();
		await sandbox.control.setAssumptions(assumptions);
		await check(assumptions);
	});
}

/** Every operation that needs nothing that must be there first. */
const operations = describedOperations.filter((one) => neededBy(one)?.parameter === undefined);

test.each(operations)('$name works with its examples under any assumptions', async ({ name }) => {
	await every(async ({ mediaResponse }) => {
		const failure = await run(name).then(
			() => undefined,
			(error: { context?: { data?: IDataObject } }) => error.context?.data?.outcome ?? error,
		);
		// What is taken without `success` is in doubt.
		const isDoubted = name === 'chatMessage.sendMedia' && mediaResponse === 'bare';
		expect(failure).toBe(isDoubted ? 'unknown' : undefined);
	});
});

describe('under any assumptions', () => {
	const secondsOf = (records: IDataObject[]) =>
		records.map(
			({ sentAt, createdAt }) => (Date.parse(String(sentAt ?? createdAt)) - start) / 1_000,
		);
	const down = (first: number, count: number) =>
		Array.from({ length: count }, (_, index) => first - index);
	const sorted = (pages: unknown[]) =>
		(pages as IDataObject[]).map((record) => JSON.stringify(record)).sort();

	test('messages are given as they are, the newest first', async () => {
		await every(async () => {
			await sandbox.control.addMessages(130, { sentAt: at(0), everyMs: 1_000 });
			await sandbox.control.addMessages(30, { sentAt: at(130), everyMs: 1_000, status: 'Read' });
			const get = async (change: INodeParameters) => await run('chatMessage.getMany', change);
			const all = await get({ returnAll: true });
			const pages = [
				(await shown('/chat/campaigns?limit=100')).messages,
				(await shown('/chat/campaigns?limit=100&offset=100')).messages,
			];
			expect(sorted(all)).toEqual(sorted(pages.flat()));
			const seconds = async (change: INodeParameters) => secondsOf(await get(change));
			expect(secondsOf(all)).toEqual(down(159, 160));
			expect(await seconds({ limit: 2 })).toEqual([159, 158]);
			expect(await seconds({ limit: 40, filters: { status: 'Read' } })).toEqual(down(159, 30));
			expect(await seconds({ limit: 3, filters: { status: 'Sent' } })).toEqual(down(129, 3));
			const filters = { sentAfter: at(158) };
			expect(await seconds({ returnAll: true, filters })).toEqual([159, 158]);
			const [one] = (await sandbox.control.messages()).filter(({ to }) => to.endsWith('0007'));
			expect(await seconds({ filters: { phone: String(one?.to) } })).toContain(7);
			expect(await run('chatMessage.getStats')).toMatchObject([
				{ total: 160, Sent: 130, Delivered: 0, Read: 30, Failed: 0 },
			]);
		});
	});

	test('calls are given as they are, the newest first', async () => {
		await every(async ({ callLogId }) => {
			await sandbox.control.addCalls(129, { createdAt: at(0), everyMs: 1_000 });
			const [id = ''] = await sandbox.control.addCalls(1, {
				to: '14155550177',
				createdAt: at(129),
			});
			const get = async (change: INodeParameters) => await run('voiceCall.getMany', change);
			const all = await get({ returnAll: true });
			const pages = [
				(await shown('/voice/call-logs?pageSize=100')).data,
				(await shown('/voice/call-logs?pageSize=100&page=2')).data,
			];
			expect(sorted(all)).toEqual(sorted(pages.flat()));
			expect(secondsOf(await get({ limit: 2 }))).toEqual([129, 128]);
			const filters = { from: at(5), to: at(7) };
			expect(secondsOf(await get({ filters }))).toEqual([7, 6, 5]);
			expect(secondsOf(await get({ filters: { search: '14155550177' } }))).toEqual([129]);
			const found = run('voiceCall.get', { callId: id });
			if (callLogId === 'own') await expect(found).rejects.toThrow('shows no call');
			else expect(secondsOf(await found)).toEqual([129]);
		});
	});

	test('account, numbers and webhooks are given as they are', async () => {
		await every(async () => {
			await sandbox.control.setAccount({ chatBalance: 7, voiceMins: 8 });
			const [account] = await run('account.getBalance');
			expect(account).toMatchObject({ chatBalance: 7, voiceMins: 8 });
			expect(account).not.toHaveProperty('user');
			expect(account).not.toHaveProperty('success');
			expect(await run('phoneNumber.getMany')).toEqual((await shown('/chat/configs')).configs);
			const urls = ['https://host.example/a', 'https://host.example/b'];
			const ids: string[] = [];
			for (const url of urls) ids.push(String((await run('webhook.create', { url }))[0]?.id));
			const listed = await run('webhook.getMany');
			expect(listed.map(({ url }) => url).sort()).toEqual(urls);
			expect(listed[0]).not.toHaveProperty('secret');
			expect(await run('webhook.delete', { webhookId: ids[0] ?? '' })).toEqual([{ deleted: true }]);
			expect((await run('webhook.getMany')).map(({ url }) => url)).toEqual([urls[1]]);
		});
	});

	test('what is waited for is found, if the lists show it', async () => {
		await every(async ({ recordDelayMs }) => {
			const isShown = recordDelayMs === 0;
			await sandbox.control.addCalls(120, { to: phone, createdAt: at(0) });
			await sandbox.control.addMessages(120, { to: phone, sentAt: at(0) });
			await sandbox.control.setLifecycle({ enabled: true, answeredAfterMs: 1, endedAfterMs: 1 });
			const [[call], [message]] = await Promise.all([
				run('voiceCall.create', {
					to: phone,
					recipientName: 'Anna',
					options: { waitForCompletion: true, pollInterval: 1, maxWait: isShown ? 5 : 1 },
				}),
				run('chatMessage.sendTemplate', {
					phone,
					options: { waitForStatus: 'Read', ...oneLook },
				}),
			]);
			expect(call?.ended).toBe(isShown);
			expect((call?.callLog as IDataObject | null)?.campaignName).toBe(
				isShown ? 'Anna' : undefined,
			);
			const { providerMessageId } = (message?.messageRecord ?? {}) as IDataObject;
			expect(providerMessageId).toBe(isShown ? message?.providerMessageId : undefined);
		});
	});
});
