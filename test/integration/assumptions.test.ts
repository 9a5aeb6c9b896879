import '../support/core/shortWaits';
import fc from 'fast-check';
import { keys, map, mapValues, range } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { questions, type Assumptions } from '../../sandbox';
import { useSandbox } from '../support/core/useSandbox';
import { textOf } from '../support/docs/files';
import { seed } from '../support/fuzz/runs';
import { goodParameters } from '../support/operations';

const sandbox = useSandbox();

const start = Date.parse('2026-03-10T00:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
const phone = '447700900210';

/** Runs an operation with the examples of its fields but for `change`; returns the JSON of its items. */
async function run(name: string, change: INodeParameters = {}): Promise<IDataObject[]> {
	const [resource = '', operation = ''] = name.split('.');
	return await sandbox.json({ resource, operation, ...goodParameters[name], ...change });
}

/** What the service itself shows. */
async function shown(path: string): Promise<IDataObject> {
	const { baseUrl, apiKey } = sandbox.credential();
	const response = await fetch(`${baseUrl}${path}`, { headers: { 'x-api-key': apiKey } });
	return (await response.json()) as IDataObject;
}

const sets = fc.record(
	mapValues(questions, ({ settings }) => fc.constantFrom<string>(...settings)),
) as fc.Arbitrary<Assumptions>;

/** Sets that together have each setting. */
const examples = range(3).map((index) => [
	mapValues(questions, ({ settings }) => settings[index % settings.length]) as Assumptions,
]) as Array<[Assumptions]>;

/** Holds a test under these and drawn sets; what does not hold is shown with as many defaults as possible. */
async function every(check: (assumptions: Assumptions) => Promise<void>): Promise<void> {
	const holds = async (assumptions: Assumptions) => {
		await sandbox.control.reset();
		await sandbox.control.setAssumptions(assumptions);
		await check(assumptions);
	};
	const numRuns = Number(process.env.ASSUMPTIONS ?? 5);
	await fc.assert(fc.asyncProperty(sets, holds), { seed, numRuns, examples });
}

test.each(Object.entries(questions))('the README of the sandbox has %s', (name, question) => {
	const settings = question.settings.map((one) => `\`${one}\``).join(', ');
	const row = `| \`${name}\` | ${question.text} | ${settings} | ${question.section} |`;
	expect(textOf('sandbox/README.md')).toContain(row);
});

test('the sandbox responds as is assumed', async () => {
	await every(async ({ balance, chatNumbers, callLogId, listOrder }) => {
		expect('user' in (await shown('/balance'))).toBe(balance === 'nested');
		const [number] = (await shown('/chat/configs')).configs as IDataObject[];
		expect(number?.phoneNumber).toBe(chatNumbers === 'plus' ? '+14155550100' : '14155550100');
		const ids = await sandbox.control.addMessages(20);
		const orders = { newestFirst: [...ids].reverse(), oldestFirst: ids, byId: [...ids].sort() };
		expect(map((await shown('/chat/campaigns')).messages as IDataObject[], 'id')).toEqual(
			orders[listOrder],
		);
		const [callId] = await sandbox.control.addCalls(1);
		const [entry] = (await shown('/voice/call-logs')).data as IDataObject[];
		const wanted = { callId: [true, false], own: [false, false], ownWithCallId: [false, true] };
		expect([entry?.id === callId, entry?.callId === callId]).toEqual(wanted[callLogId]);
	});
});

describe('under any assumptions', () => {
	const secondsOf = (records: IDataObject[]) =>
		records.map(
			({ sentAt, createdAt }) => (Date.parse(String(sentAt ?? createdAt)) - start) / 1_000,
		);
	const down = (first: number, count: number) => range(first, first - count, -1);
	/** Compares records with those of pages, in whatever order. */
	const expectAll = (records: IDataObject[], ...pages: unknown[]) => {
		expect(records).toHaveLength(pages.flat().length);
		expect(new Set(records)).toEqual(new Set(pages.flat()));
	};

	test('messages come out as they are, the newest first', async () => {
		await every(async () => {
			await sandbox.control.addMessages(130, { sentAt: at(0), everyMs: 1_000 });
			await sandbox.control.addMessages(30, { sentAt: at(130), everyMs: 1_000, status: 'Read' });
			const get = async (change: INodeParameters) => await run('chatMessage.getMany', change);
			const all = await get({ returnAll: true });
			expectAll(
				all,
				(await shown('/chat/campaigns?limit=100')).messages,
				(await shown('/chat/campaigns?limit=100&offset=100')).messages,
			);
			const seconds = async (change: INodeParameters) => secondsOf(await get(change));
			expect(secondsOf(all)).toEqual(down(159, 160));
			expect(await seconds({ limit: 2 })).toEqual([159, 158]);
			expect(await seconds({ limit: 40, filters: { status: 'Read' } })).toEqual(down(159, 30));
			expect(await seconds({ limit: 3, filters: { status: 'Sent' } })).toEqual(down(129, 3));
			const [one] = (await sandbox.control.messages()).filter(({ to }) => to.endsWith('0007'));
			const { to = '', providerMessageId = '' } = one ?? {};
			const filtered: Array<[INodeParameters, number[]]> = [
				[{ sentAfter: at(158) }, [159, 158]],
				[{ sentBefore: at(1) }, [1, 0]],
				[{ sentAfter: at(50), sentBefore: at(51) }, [51, 50]],
				[{ providerMessageId }, [7]],
				[{ phone: '447700900999' }, []],
			];
			for (const [filters, found] of filtered) expect(await seconds({ filters })).toEqual(found);
			expect(await seconds({ filters: { phone: `+${to}` } })).toContain(7);
			expect(await run('chatMessage.getStats')).toMatchObject([
				{ total: 160, Sent: 130, Delivered: 0, Read: 30, Failed: 0 },
			]);
		});
	});

	test('calls come out as they are, the newest first', async () => {
		await every(async ({ callLogId }) => {
			await sandbox.control.addCalls(129, { createdAt: at(0), everyMs: 1_000 });
			const last = { to: '14155550177', createdAt: at(129) };
			const [id = ''] = await sandbox.control.addCalls(1, last);
			const get = async (change: INodeParameters) => await run('voiceCall.getMany', change);
			const all = await get({ returnAll: true });
			expectAll(
				all,
				(await shown('/voice/call-logs?pageSize=100')).data,
				(await shown('/voice/call-logs?pageSize=100&page=2')).data,
			);
			expect(secondsOf(await get({ limit: 2 }))).toEqual([129, 128]);
			const filtered: Array<[INodeParameters, number[]]> = [
				[{ from: at(5), to: at(7) }, [7, 6, 5]],
				[{ from: at(5), to: at(5) }, [5]],
				// In Kolkata; a day is its first moment there.
				[{ from: '2026-03-10T05:30:05', to: '2026-03-10T05:30:06' }, [6, 5]],
				[{ from: '2026-03-09', to: '2026-03-10' }, []],
				[{ from: '2026-03-10', to: '2026-03-11', search: '14155550177' }, [129]],
			];
			for (const [filters, found] of filtered)
				expect(secondsOf(await get({ filters }))).toEqual(found);
			const callId = { __rl: true, mode: 'list', value: id };
			const found = run('voiceCall.get', { callId, output: 'simplified' });
			const none = `The call log shows no call with the ID ${id}`;
			if (callLogId === 'own') return await expect(found).rejects.toThrow(none);
			expect(secondsOf(await found)).toEqual([129]);
			expect((await found)[0]).not.toHaveProperty('transcript');
			const selected = { output: 'selectedFields', selectedFields: 'phone, none' };
			const [call] = await run('voiceCall.get', { callId, ...selected });
			expect(call).toEqual({ phone: '+14155550177' });
		});
	});

	test('the account is returned as it is', async () => {
		await every(async () => {
			await sandbox.control.setAccount({ chatBalance: 7, voiceMins: 8 });
			const [account] = await run('account.getBalance');
			expect(account).toMatchObject({ chatBalance: 7, voiceMins: 8 });
			expect(keys(account)).not.toEqual(
				expect.arrayContaining([expect.stringMatching(/user|success/)]),
			);
		});
	});

	test('an awaited record is found', async () => {
		await every(async ({ callSteps }) => {
			await sandbox.control.addCalls(120, { to: phone, createdAt: at(0) });
			await sandbox.control.addMessages(120, { to: phone, sentAt: at(0) });
			await sandbox.control.setLifecycle({ enabled: true, answeredAfterMs: 1, endedAfterMs: 1 });
			const [[call], [message]] = await Promise.all([
				run('voiceCall.create', {
					to: phone,
					additionalFields: { recipientName: 'Anna' },
					options: { waitForCompletion: { wait: { pollInterval: 1, maxWait: 5 } } },
				}),
				run('chatMessage.sendTemplate', {
					phone,
					// A single look, so that nothing waits.
					options: { waitForStatus: { wait: { status: 'Read', maxWait: 1, pollInterval: 2 } } },
				}),
			]);
			const callStatus = callSteps === 'each' ? 'success' : 'answered';
			expect(call).toMatchObject({ ended: true, callLog: { campaignName: 'Anna', callStatus } });
			const { providerMessageId } = (message?.messageRecord ?? {}) as IDataObject;
			expect(providerMessageId).toBe(message?.providerMessageId);
		});
	});
});
