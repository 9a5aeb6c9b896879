import type { IDataObject } from 'n8n-workflow';
import type { Assumptions } from '../../../sandbox';
import type { SandboxOfTests } from '../core/useSandbox';
import { fate, jsonOf, type Case } from './bench';

const hour = 3_600_000;
const to = '919876543210';

/** What the service itself answers to a GET. */
async function shown({ credential }: SandboxOfTests, path: string): Promise<IDataObject> {
	const { baseUrl, apiKey } = credential();
	const response = await fetch(`${baseUrl}${path}`, { headers: { 'x-api-key': apiKey } });
	return (await response.json()) as IDataObject;
}

/** What becomes of something if records appear in the lists at once, and if they are late. */
const ifShown =
	<Value>(seen: Value, unseen: Value) =>
	({ recordDelayMs }: Assumptions): Value =>
		recordDelayMs === 0 ? seen : unseen;

/** A single look, so that no case waits. */
const oneLook = { maxWait: 1, pollInterval: 2 };

const byId = (records: IDataObject[]): IDataObject[] =>
	[...records].sort((a, b) => String(a.id).localeCompare(String(b.id)));

/** Whether the node gives exactly the records that the service shows, every field as it is. */
const sameRecords = (
	name: string,
	{ paths, key }: { paths: [string, string]; key: string },
	seed: (bench: SandboxOfTests) => Promise<unknown>,
): Case => ({
	look: async (bench) => {
		await seed(bench);
		await bench.control.advance(hour);
		const records = await jsonOf(bench, name, { returnAll: true });
		const pages = await Promise.all(paths.map(async (path) => await shown(bench, path)));
		const expected = byId(pages.flatMap((page) => page[key] as IDataObject[]));
		return [records.length, JSON.stringify(byId(records)) === JSON.stringify(expected)];
	},
	expected: () => [130, true],
});

/** What comes from the service. */
export const readCases: Record<string, Case> = {
	'the account': {
		look: async (bench) => {
			await bench.control.setAccount({ chatBalance: 7, voiceMins: 8 });
			const [json] = await jsonOf(bench, 'account.getBalance');
			return [json?.chatBalance, json?.voiceMins, json?.user, json?.success];
		},
		expected: () => [7, 8, undefined, undefined],
	},
	'the messages': sameRecords(
		'chatMessage.getMany',
		{
			paths: ['/chat/campaigns?limit=100', '/chat/campaigns?limit=100&offset=100'],
			key: 'messages',
		},
		async ({ control }) => await control.addMessages(130),
	),
	'the calls': sameRecords(
		'voiceCall.getMany',
		{
			paths: ['/voice/call-logs?pageSize=100', '/voice/call-logs?pageSize=100&page=2'],
			key: 'data',
		},
		async ({ control }) => await control.addCalls(130),
	),
	'the numbers': {
		look: async (bench) => {
			const records = await jsonOf(bench, 'phoneNumber.getMany');
			const { configs } = await shown(bench, '/chat/configs');
			return JSON.stringify(records) === JSON.stringify(configs);
		},
		expected: () => true,
	},
	'the webhooks': {
		look: async (bench) => {
			const [webhook] = await jsonOf(bench, 'webhook.create', { url: 'https://host.example/a' });
			await jsonOf(bench, 'webhook.create', { url: 'https://host.example/b' });
			const records = await jsonOf(bench, 'webhook.getMany');
			const deleted = await jsonOf(bench, 'webhook.delete', { webhookId: String(webhook?.id) });
			const left = await jsonOf(bench, 'webhook.getMany');
			const urls = (list: IDataObject[]) => list.map(({ url }) => String(url)).sort();
			return [urls(records), 'secret' in (records[0] ?? {}), deleted, urls(left)];
		},
		expected: () => [
			['https://host.example/a', 'https://host.example/b'],
			false,
			[{ deleted: true }],
			['https://host.example/b'],
		],
	},
	'a call by its number': {
		look: async (bench) => {
			await bench.control.addCalls(3, { to });
			const [one] = await bench.control.addCalls(1, { to: '14155550177' });
			await bench.control.advance(hour);
			const found = await jsonOf(bench, 'voiceCall.getMany', {
				filters: { search: '14155550177' },
			});
			return [found.length, found[0]?.id === one || found[0]?.callId === one];
		},
		expected: ({ callLogId }) => [1, callLogId !== 'own'],
	},
	'the entry of a call': {
		look: async (bench) => {
			const [placed] = await jsonOf(bench, 'voiceCall.create');
			await bench.control.addCalls(120);
			await bench.control.advance(hour);
			return await fate(bench, 'voiceCall.get', { callId: String(placed?.callId) });
		},
		expected: ({ callLogId }) =>
			callLogId === 'own' ? expect.stringContaining('shows no call') : 'accepted',
	},
	'a call that is waited for': {
		look: async (bench) => {
			await bench.control.addCalls(120, { to, createdAt: '2020-01-01T00:00:00Z' });
			const [json] = await jsonOf(bench, 'voiceCall.create', {
				to,
				recipientName: 'Anna',
				options: { waitForCompletion: true, ...oneLook },
			});
			return (json?.callLog as IDataObject | null)?.campaignName;
		},
		expected: ifShown('Anna', undefined),
	},
	'a message that is waited for': {
		look: async (bench) => {
			await bench.control.addMessages(120, { to });
			const change = {
				phone: to,
				options: { waitForStatus: 'Read', ...oneLook },
			};
			const [json] = await jsonOf(bench, 'chatMessage.sendTemplate', change);
			const { providerMessageId } = (json?.messageRecord ?? {}) as IDataObject;
			return providerMessageId !== undefined && providerMessageId === json?.providerMessageId;
		},
		expected: ifShown(true, false),
	},
};
