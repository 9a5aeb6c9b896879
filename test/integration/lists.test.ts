import type { IDataObject } from 'n8n-workflow';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const messages = { resource: 'chatMessage', operation: 'getMany' };
const calls = { resource: 'voiceCall', operation: 'getMany' };
const start = Date.parse('2026-03-10T00:00:00Z');
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();

const timesOf = (records: IDataObject[]) =>
	records.map(
		({ sentAt, createdAt }) => (Date.parse(String(sentAt ?? createdAt)) - start) / 60_000,
	);

// Other orders, and what they have to do with anything else, are drawn in assumptions.test.ts.
describe('a list that is shown in no order', () => {
	beforeEach(async () => {
		await sandbox.control.setAssumptions({ listOrder: 'byId' });
		// One a minute, from 00:00 UTC on.
		await sandbox.control.addMessages(120, { sentAt: at(0), everyMs: 60_000 });
		await sandbox.control.addCalls(120, { createdAt: at(0), everyMs: 60_000 });
	});

	test('messages to a number, of an ID and in a time', async () => {
		const [wanted] = (await sandbox.control.messages()).filter(({ to }) => to.endsWith('030'));
		const filtered = async (filters: IDataObject) =>
			timesOf(await sandbox.json({ ...messages, returnAll: true, filters } as never));
		expect(await filtered({ phone: `+${wanted?.to ?? ''}` })).toEqual([30]);
		expect(await filtered({ providerMessageId: String(wanted?.providerMessageId) })).toEqual([30]);
		expect(await filtered({ sentAfter: at(117) })).toEqual([119, 118, 117]);
		expect(await filtered({ sentBefore: at(1) })).toEqual([1, 0]);
		expect(await filtered({ sentAfter: at(50), sentBefore: at(51) })).toEqual([51, 50]);
		expect(await filtered({ phone: '919999999999' })).toEqual([]);
	});

	test('calls between two moments, both part of it; a day is its first moment in the time zone', async () => {
		const between = async (filters: IDataObject) =>
			timesOf(await sandbox.json({ ...calls, returnAll: true, filters } as never));
		expect(await between({ from: at(10), to: at(12) })).toEqual([12, 11, 10]);
		expect(await between({ from: at(10), to: at(10) })).toEqual([10]);
		// 02:00 in Kolkata is 20:30 UTC of the day before.
		await sandbox.control.addCalls(1, { createdAt: '2026-03-09T20:30:00Z' });
		const between9And = async (to: string) => (await between({ from: '2026-03-09', to })).length;
		expect([await between9And('2026-03-10'), await between9And('2026-03-11')]).toEqual([0, 121]);
		expect(await between({ from: '2026-03-10T01:59:00', to: '2026-03-10T02:01:00' })).toEqual([
			-210,
		]);
	});

	test('a call that was chosen is found behind 120 others, and shown in short', async () => {
		const [id = ''] = await sandbox.control.addCalls(1, { createdAt: at(-1) });
		const get = { resource: 'voiceCall', operation: 'get', simplify: true };
		const callId = { __rl: true, mode: 'list', value: id };
		const [short] = await sandbox.json({ ...get, callId });
		expect(short).toMatchObject({ id, phone: expect.any(String) as string, createdAt: at(-1) });
		expect(short).not.toHaveProperty('transcript');
	});
});
