import fc from 'fast-check';
import { judgeEvent } from '../../nodes/MessagingService/trigger/delivery';
import { oddText, oddValue } from '../support/fuzz/oddValues';
import { numRuns, patience, seed } from '../support/fuzz/runs';

const event = 'message.delivered';
const timestamp = '2026-01-31T12:00:00Z';
const subscription = {
	events: [event],
	templateNames: ['welcome'],
	fromNumbers: ['919876543210'],
	maxAgeSeconds: 60,
};

const mostly = (good: unknown) =>
	fc.oneof({ weight: 8, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: oddValue });

const payload = fc.record(
	{
		event: mostly(event),
		timestamp: fc.oneof(
			{ weight: 8, arbitrary: fc.constant(timestamp) },
			fc.constantFrom('2026-01-31T12:00:00+99:99', '0000-01-01T00:00:00Z', '2026-13-45T99:99:99Z'),
			oddValue,
		),
		data: mostly({ providerMessageId: 'pm1', from: '+91 98765 43210', templateName: 'welcome' }),
		extra: oddValue,
	},
	{ requiredKeys: [], noNullPrototype: true },
);
const oddData = fc.record({
	event: fc.constant(event),
	timestamp: fc.constant(timestamp),
	data: fc.record(
		{
			providerMessageId: mostly('pm1'),
			from: mostly(919876543210),
			templateName: mostly('welcome'),
		},
		{ requiredKeys: [], noNullPrototype: true },
	),
});

/** Bodies that the service has signed, from good events to anything. */
const body = fc
	.oneof(
		{ weight: 4, arbitrary: payload.map((value) => JSON.stringify(value)) },
		{ weight: 4, arbitrary: oddData.map((value) => JSON.stringify(value)) },
		oddValue.map((value) => JSON.stringify(value) ?? ''),
		oddText,
		fc.uint8Array({ maxLength: 50 }),
	)
	.map((content) => Buffer.from(content as string));

const now = Date.parse(timestamp) + 1_000;

test(
	'every signed body gets a verdict, and only a fresh subscribed event starts an execution',
	() => {
		let started = 0;
		fc.assert(
			fc.property(body, (rawBody) => {
				const verdict = judgeEvent(rawBody, subscription, now);
				if ('status' in verdict) {
					expect([200, 400]).toContain(verdict.status);
					return;
				}
				started++;
				const taken = JSON.parse(rawBody.toString()) as Record<string, unknown>;
				expect(verdict.payload).toEqual(taken);
				expect(taken).toMatchObject({ event, timestamp, data: { templateName: 'welcome' } });
			}),
			{ seed, numRuns },
		);
		expect(started).toBeGreaterThan(numRuns / 20);
	},
	patience,
);
