import '../support/core/shortWaits';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { createRunExecutionData } from 'n8n-workflow';
import { executeContext } from '../support/core/execute';
import { Processes } from '../support/core/process';
import { useSandbox } from '../support/core/useSandbox';
import { grow, growths, listOrder, runs as allRuns, runsPatience } from '../support/lists/growth';

const sandbox = useSandbox();

jest.setTimeout(runsPatience);

/** A third, for most of these wait for a second. */
const runs = { ...allRuns, numRuns: Math.ceil(allRuns.numRuns / 3) };

const own = '919876543210';
const others = '919876543299';

/** A single look, so that no history waits. */
const oneLook = { maxWait: 1, pollInterval: 2 };

/** The older records, first those to the own number, one a second. */
const start = Date.parse('2026-01-31T12:00:00Z');
const end = start + 3_600_000;

/** A list with older records, and how it grows while it is read. */
const list = fc.record({
	order: listOrder,
	/** To the number that something is sent to, and to others. */
	older: fc.nat(230),
	olderOthers: fc.nat(120),
	meanwhile: growths,
});

type List = typeof list extends fc.Arbitrary<infer Value> ? Value : never;

async function prepare(kind: 'messages' | 'calls', drawn: List): Promise<void> {
	await sandbox.control.reset();
	await sandbox.control.setLifecycle({ enabled: false });
	await sandbox.control.setAssumptions({ listOrder: drawn.order });
	let time = start;
	for (const [to, count] of [
		[own, drawn.older],
		[others, drawn.olderOthers],
	] as const) {
		const at = new Date(time).toISOString();
		if (kind === 'messages') {
			await sandbox.control.addMessages(count, { to, sentAt: at, everyMs: 1_000 });
		} else {
			const more = { recipientName: 'Ben', createdAt: at, everyMs: 1_000 };
			await sandbox.control.addCalls(count, { to, ...more });
		}
		time += 1_000 * count;
	}
}

describe('what is looked for is found, however the list is ordered and grows', () => {
	test('the entry of a call that was placed', async () => {
		await fc.assert(
			fc.asyncProperty(
				list,
				fc.constantFrom('callId', 'own', 'ownWithCallId'),
				fc.boolean(),
				async (drawn, callLogId, isSameNumber) => {
					await prepare('calls', drawn);
					await sandbox.control.setAssumptions({ callLogId });
					await grow(sandbox.control, 'calls', drawn.meanwhile, {
						to: isSameNumber ? own : others,
						recipientName: 'Ben',
					});
					const [json] = await sandbox.json({
						resource: 'voiceCall',
						operation: 'create',
						to: own,
						content: 'text',
						text: 'Hello',
						recipientName: 'Anna',
						options: { waitForCompletion: true, ...oneLook },
					});
					const placed = (await sandbox.control.calls()).filter(
						({ campaignName }) => campaignName === 'Anna',
					);
					expect(placed).toHaveLength(1);
					expect((json?.callLog as IDataObject | null)?.id).toBe(placed[0]?.id);
				},
			),
			runs,
		);
	});

	test('the call of an ID', async () => {
		await fc.assert(
			fc.asyncProperty(list, fc.nat(999), async (drawn, which) => {
				await prepare('calls', { ...drawn, older: drawn.older + 1 });
				const ids = (await sandbox.control.calls()).map(({ id }) => id);
				const callId = ids[which % ids.length] ?? '';
				await grow(sandbox.control, 'calls', drawn.meanwhile, { to: others });
				const get = { resource: 'voiceCall', operation: 'get', callId };
				expect(await sandbox.json(get)).toEqual([expect.objectContaining({ id: callId })]);
			}),
			runs,
		);
	});

	test.each(['sendTemplate', 'sendMedia'])('the record of a message: %s', async (operation) => {
		await fc.assert(
			fc.asyncProperty(list, fc.constantFrom('full', 'minimal'), async (drawn, mediaResponse) => {
				await prepare('messages', drawn);
				await sandbox.control.setAssumptions({ mediaResponse });
				await grow(sandbox.control, 'messages', drawn.meanwhile, { to: others });
				const [json] = await sandbox.json({
					resource: 'chatMessage',
					operation,
					phone: own,
					...(operation === 'sendTemplate'
						? { templateName: 'order_update' }
						: { mediaType: 'image', mediaUrl: 'https://host.example/a.png' }),
					options: { waitForStatus: 'Read', ...oneLook },
				});
				const [sent, ...more] = (await sandbox.control.messages()).filter(
					({ to, sentAt }) => to === own && Date.parse(sentAt) > end,
				);
				expect(more).toEqual([]);
				expect((json?.messageRecord as IDataObject | null)?.id).toBe(sent?.id);
			}),
			runs,
		);
	});

	const processes = new Processes();

	test('what a crash has left in doubt', async () => {
		await fc.assert(
			fc.asyncProperty(list, fc.boolean(), async (drawn, arrives) => {
				await prepare('messages', drawn);
				const nodeId = processes.begin();
				const establishedAt = Date.now();
				const tried = async (mode: 'retry' | 'trigger') =>
					await processes.start().execute(
						executeContext({
							credential: sandbox.credential(),
							parameters: {
								resource: 'chatMessage',
								operation: 'sendTemplate',
								phone: own,
								templateName: 'order_update',
							},
							node: { id: nodeId, onError: 'continueRegularOutput' },
							runExecutionData: createRunExecutionData({
								executionData: {
									runtimeData: { version: 1, establishedAt, source: 'trigger' },
								},
							}),
							executionId: mode,
							mode,
						}),
						// Behind the notes of the execution and of the send.
						mode === 'trigger' ? { afterCalls: 2, arrives } : undefined,
					);
				expect(await tried('trigger')).toBeUndefined();
				await grow(sandbox.control, 'messages', drawn.meanwhile, { to: others });
				const output = await tried('retry');
				const details = (Array.isArray(output) ? output[0]?.json.details : {}) as IDataObject;
				const candidates = (details.candidates ?? []) as IDataObject[];
				const sent = (await sandbox.control.messages()).filter(
					({ to, sentAt }) => to === own && Date.parse(sentAt) >= establishedAt,
				);
				expect(details.outcome).toBe('unknown');
				expect(sent).toHaveLength(arrives ? 1 : 0);
				expect(candidates.map(({ id }) => id)).toEqual(sent.map(({ id }) => id));
			}),
			runs,
		);
	});
});
