// Lists that change, loops, keys and edits are drawn in test/unit/sending. Here the same rules hold with
// n8n's own contexts, with what its server does with its row of entries, and with HTTP.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { countBy } from 'lodash';
import { createRunExecutionData, type IDataObject, type INodeParameters } from 'n8n-workflow';
import { clearRows } from '../support/core/deduplicator';
import { executeContext, type NodeFailure } from '../support/core/execute';
import { executeInProcess } from '../support/core/process';
import { useSandbox } from '../support/core/useSandbox';
import { patience } from '../support/fuzz/runs';

const sandbox = useSandbox();

const phoneOf = (index: number): string => `9990000${10_000 + index}`;

const kinds = {
	messages: {
		path: '/chat/send-template',
		parameters: { resource: 'chatMessage', operation: 'sendTemplate', phone: '={{ $json.phone }}' },
	},
	campaign: {
		path: '/chat/bulk-send',
		parameters: { resource: 'bulkCampaign', operation: 'create' },
	},
};

const history = fc.record({
	/** What becomes of the first request for an item; all later ones are accepted. */
	fates: fc.array(
		fc.oneof(
			{ weight: 8, arbitrary: fc.constant('accept') },
			fc.constantFrom('reject', 'after', 'before'),
		),
		{ minLength: 1, maxLength: 12 },
	),
	/** Requests at once, and recipients in a request of a campaign. */
	size: fc.integer({ min: 1, max: 4 }),
	isKeyed: fc.boolean(),
	continueOnFail: fc.boolean(),
	/** How the first tries end, if they make so many calls. */
	crashes: fc.array(fc.record({ afterCalls: fc.nat(40), arrives: fc.boolean() }), {
		minLength: 1,
		maxLength: 3,
	}),
});

async function prepare(path: string, fates: string[]): Promise<void> {
	clearRows();
	await sandbox.control.reset();
	await sandbox.control.setLifecycle({ enabled: false });
	for (const [index, fate] of fates.entries()) {
		const fault = { path, bodyContains: phoneOf(index) };
		const body = { error: 'Rejected' };
		if (fate === 'reject')
			await sandbox.control.addFault({ ...fault, kind: 'status', status: 400, body });
		else if (fate !== 'accept')
			await sandbox.control.addFault({ ...fault, kind: 'cut', when: fate as 'after' | 'before' });
	}
}

/** How often each number was reached. */
async function arrivals(): Promise<Record<string, number>> {
	// The service sends a campaign's messages after its response.
	await sandbox.control.settle();
	return countBy(await sandbox.control.messages(), 'to');
}

test.each(Object.values(kinds))(
	'of $parameters.resource no history of kills reaches anybody twice, and all that is told is true',
	async ({ path, parameters }) => {
		await fc.assert(
			fc.asyncProperty(history, async ({ fates, size, isKeyed, continueOnFail, crashes }) => {
				await prepare(path, fates);
				const items = fates.map((_, index) => ({ json: { phone: phoneOf(index) } }));
				const node = {
					id: randomUUID(),
					onError: continueOnFail ? ('continueRegularOutput' as const) : ('stopWorkflow' as const),
				};
				const isCampaign = path === kinds.campaign.path;
				const key = isCampaign ? 'spring' : '={{ $json.phone }}';
				const own: INodeParameters = {
					...parameters,
					templateName: 'order_update',
					options: {
						...(isCampaign ? { chunkSize: size } : { batching: { batch: { batchSize: size } } }),
						...(isKeyed ? { idempotencyKey: key } : {}),
					},
				};
				const establishedAt = Date.now();
				const ends = [...crashes, ...Array<undefined>(fates.length + 2).fill(undefined)];
				for (const [number, crash] of ends.entries()) {
					const runtimeData = { version: 1 as const, establishedAt, source: 'trigger' as const };
					const context = executeContext({
						credential: sandbox.credential(),
						parameters: own,
						items,
						node,
						runExecutionData: createRunExecutionData({ executionData: { runtimeData } }),
						executionId: String(number),
						mode: number === 0 ? 'trigger' : 'retry',
					});
					const output = await executeInProcess(Math.min(number, 4), context, crash);
					const reached = await arrivals();
					expect(Object.values(reached).filter((times) => times > 1)).toEqual([]);
					if (output === undefined) continue;
					const told = Array.isArray(output)
						? output.map(({ json, pairedItem }) => ({ json, of: [pairedItem].flat() }))
						: [failed(output as NodeFailure)];
					for (const { json, of } of told) {
						const { outcome } = (json.details ?? {}) as IDataObject;
						if (outcome === 'unknown') continue;
						const are = of.map((one) => reached[phoneOf((one as { item: number }).item)] ?? 0);
						expect([json, are]).toEqual([json, are.map(() => (json.error === undefined ? 1 : 0))]);
					}
					if (Array.isArray(output)) return;
				}
				// Only what is in doubt stops every retry.
				const doubtful = fates.some((fate) => ['after', 'before'].includes(fate));
				const missing = fates.length - Object.keys(await arrivals()).length;
				if (!doubtful) expect(missing).toBeLessThanOrEqual(2 * size * crashes.length);
			}),
			{
				seed: Number(process.env.HISTORIES_SEED ?? 1),
				numRuns: Number(process.env.HISTORIES ?? 30),
			},
		);
	},
	patience,
);

const failed = ({ message, context: { data, itemIndex } }: NodeFailure) => ({
	json: { error: message, details: data } as IDataObject,
	of: itemIndex === undefined ? [] : [{ item: itemIndex }],
});
