import fc from 'fast-check';
import { useSandbox } from '../support/core/useSandbox';
import { leave, leavings, listOrder, runs, runsPatience } from '../support/lists/growth';

const sandbox = useSandbox();

jest.setTimeout(runsPatience);

const start = Date.parse('2026-03-10T00:00:00Z');
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();

const lists = {
	messages: {
		operation: { resource: 'chatMessage', operation: 'getMany', returnAll: true },
		status: 'Sent',
		after: 'sentAfter',
		before: 'sentBefore',
		add: async (count: number) =>
			await sandbox.control.addMessages(count, { sentAt: at(0), everyMs: 60_000 }),
	},
	calls: {
		operation: { resource: 'voiceCall', operation: 'getMany', returnAll: true },
		status: 'initiated',
		after: 'from',
		before: 'to',
		add: async (count: number) =>
			await sandbox.control.addCalls(count, {
				createdAt: at(0),
				everyMs: 60_000,
				callStatus: 'initiated',
			}),
	},
};

describe.each(['messages', 'calls'] as const)('%s that get another status', (kind) => {
	const { operation, status, after, before, add } = lists[kind];

	test.each([
		['all', {}],
		['all since a moment', { [after]: at(0) }],
		['all until a moment', { [before]: at(10_000) }],
	])('while Get Many reads %s take none along that stays', async (_what, filters) => {
		await fc.assert(
			fc.asyncProperty(
				listOrder,
				fc.constantFrom('filtered' as const, 'all' as const),
				fc.constantFrom('filtered' as const, 'all' as const),
				fc.nat(450),
				leavings,
				async (order, totalWithStatus, statsWithStatus, count, drawn) => {
					await sandbox.control.reset();
					await sandbox.control.setLifecycle({ enabled: false });
					const assumptions = { listOrder: order, totalWithStatus, statsWithStatus };
					await sandbox.control.setAssumptions(assumptions);
					const staying = await leave(sandbox.control, kind, drawn, await add(count));
					const records = await sandbox.json({ ...operation, filters: { status, ...filters } });
					const ids = records.map(({ id }) => String(id));
					expect(new Set(ids).size).toBe(ids.length);
					expect(staying.filter((id) => !ids.includes(id))).toEqual([]);
				},
			),
			runs,
		);
	});
});
