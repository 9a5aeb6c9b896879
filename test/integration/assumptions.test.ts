import type { IDataObject } from 'n8n-workflow';
import { underAssumptions } from '../support/assumptions/drawn';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

/** What the service may do with its lists. */
const names = [
	'listOrder',
	'totalWithStatus',
	'statsWithStatus',
	'overLimit',
	'timestamps',
	'chatNumbers',
	'voiceNumbers',
	'callLogId',
	'callLogTotal',
	'callSteps',
	'search',
	'dayZone',
	'dateWithTime',
	'furtherFields',
	'unknownFields',
] as const;

const start = Date.parse('2026-03-10T00:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
const secondsOf = (records: IDataObject[]) =>
	records.map(({ sentAt, createdAt }) => (Date.parse(String(sentAt ?? createdAt)) - start) / 1_000);
const down = (first: number, count: number) =>
	Array.from({ length: count }, (_, index) => first - index);

test('lists hold under any set of the assumptions', async () => {
	await underAssumptions(
		async (assumptions) => {
			await sandbox.control.reset();
			await sandbox.control.setAssumptions(assumptions);
			await sandbox.control.addMessages(130, { sentAt: at(0), everyMs: 1_000 });
			await sandbox.control.addMessages(30, { sentAt: at(130), everyMs: 1_000, status: 'Read' });
			await sandbox.control.addCalls(130, { createdAt: at(0), everyMs: 1_000 });
			const messages = async (rest: IDataObject) =>
				secondsOf(
					await sandbox.json({ resource: 'chatMessage', operation: 'getMany', ...rest } as never),
				);
			expect(await messages({ limit: 2 })).toEqual([159, 158]);
			expect(await messages({ returnAll: true })).toEqual(down(159, 160));
			expect(await messages({ limit: 40, filters: { status: 'Read' } })).toEqual(down(159, 30));
			expect(await messages({ limit: 3, filters: { status: 'Sent' } })).toEqual([129, 128, 127]);
			expect(await messages({ returnAll: true, filters: { sentAfter: at(158) } })).toEqual([
				159, 158,
			]);
			const [one] = (await sandbox.control.messages()).filter(({ to }) => to.endsWith('0007'));
			expect(await messages({ filters: { phone: String(one?.to) } })).toContain(7);

			const calls = async (rest: IDataObject) =>
				secondsOf(
					await sandbox.json({ resource: 'voiceCall', operation: 'getMany', ...rest } as never),
				);
			expect(await calls({ limit: 2 })).toEqual([129, 128]);
			expect(await calls({ filters: { from: at(5), to: at(7) } })).toEqual([7, 6, 5]);
			expect(await sandbox.json({ resource: 'chatMessage', operation: 'getStats' })).toMatchObject([
				{ total: 160, Sent: 130, Delivered: 0, Read: 30, Failed: 0 },
			]);

			await sandbox.control.setLifecycle({ enabled: true, answeredAfterMs: 1, endedAfterMs: 1 });
			const [call] = await sandbox.json({
				resource: 'voiceCall',
				operation: 'create',
				to: '+91 98765 43210',
				content: 'text',
				text: 'Own',
				options: { waitForCompletion: true, pollInterval: 1, maxWait: 5 },
			});
			expect(call).toMatchObject({ ended: true });
			expect(String((call?.callLog as IDataObject).transcript)).toContain('Own');
		},
		[...names],
	);
});
