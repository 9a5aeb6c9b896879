import '../support/core/shortWaits';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { useSandbox } from '../support/core/useSandbox';
import { patience, seed } from '../support/fuzz/runs';

const sandbox = useSandbox();

jest.setTimeout(patience);

/** How many histories of a list are drawn; HISTORIES tries more. */
const runs = { seed, numRuns: Number(process.env.HISTORIES ?? 10) };

const own = '919876543210';
const others = '919876543299';

/** A single look, so that no history waits. */
const oneLook = { maxWait: 1, pollInterval: 2 };

/** The older records, first those to the own number, one a second. */
const start = Date.parse('2026-01-31T12:00:00Z');
const end = start + 3_600_000;

/** A list with older records, and how it grows while it is read. */
const list = fc.record({
	order: fc.constantFrom('newestFirst', 'oldestFirst', 'byId'),
	/** To the number that something is sent to, and to others. */
	older: fc.nat(230),
	olderOthers: fc.nat(120),
	/** Records that come into being after a page was read; each page is followed by one growth at most. */
	meanwhile: fc.uniqueArray(
		fc.record({ afterPages: fc.nat(5), count: fc.integer({ min: 1, max: 130 }) }),
		{ maxLength: 3, selector: ({ afterPages }) => afterPages },
	),
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

/** Lets the list grow by records that are like a template. */
async function grow(kind: 'messages' | 'calls', { meanwhile }: List, template: IDataObject) {
	const path = kind === 'messages' ? '/chat/campaigns' : '/voice/call-logs';
	for (const { afterPages: skip, count: n } of meanwhile) {
		const records = { [kind]: { n, template: { everyMs: 0, ...template } } };
		await sandbox.control.addFault({ kind: 'grow', path, skip, ...records });
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
					await grow('calls', drawn, {
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

	test.each(['sendTemplate', 'sendMedia'])('the record of a message: %s', async (operation) => {
		await fc.assert(
			fc.asyncProperty(list, fc.constantFrom('full', 'minimal'), async (drawn, mediaResponse) => {
				await prepare('messages', drawn);
				await sandbox.control.setAssumptions({ mediaResponse });
				await grow('messages', drawn, { to: others });
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
});
