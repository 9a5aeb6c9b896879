import fc from 'fast-check';
import { mapValues, uniq } from 'lodash';
import { freePort } from '../../harness';
import { probe } from '../../scripts/probe';
import { questions, type Assumptions } from '../../sandbox';
import { useService } from '../support/core/useService';
import { seed } from '../support/fuzz/runs';

const fixture = useService();

const sets = fc.record(
	mapValues(questions, ({ settings }) => fc.constantFrom<string>(...settings)),
) as fc.Arbitrary<Assumptions>;

/** What an account of some age holds. */
async function fill(): Promise<void> {
	const { control, api } = fixture;
	const time = (hour: number) => `2026-03-10T${String(hour).padStart(2, '0')}:00:00.000Z`;
	// No order of the messages is that of their last changes.
	for (const [hour, changedAt] of [23, 20, 22, 19, 21].entries()) {
		const status = hour % 2 === 0 ? 'Read' : 'Failed';
		await control.addMessages(1, { status, sentAt: time(hour), updatedAt: time(changedAt) });
	}
	await api.post('/chat/send', { phone: '447700900210', message: 'Hello' });
	for (const hour of [3, 12, 21]) await control.addCalls(1, { createdAt: time(hour) });
	// Its transcript is empty.
	await control.addCalls(1, { callStatus: 'failed', createdAt: time(0) });
	await api.post('/chat/webhooks', { url: 'https://host.example/events' });
}

test('each answer is the setting', async () => {
	const told: string[] = [];
	const holds = async (assumptions: Assumptions) => {
		await fixture.control.reset();
		await fixture.control.setAssumptions(assumptions);
		await fixture.control.setLifecycle({ listedAfterMs: 300 });
		await fill();
		const { baseUrl, keys } = fixture.sandbox;
		const port = await freePort();
		const listen = `http://127.0.0.1:${port}/events`;
		const paid = { sendTo: '447700900211', template: 'order_update', listen, port };
		const answers = await probe({ baseUrl, key: keys.production, ...paid });
		const settings = mapValues(answers, (one) => one?.setting);
		const known = Object.entries(settings).filter(([, setting]) => setting !== undefined);
		const wanted = known.map(([name]) => [name, assumptions[name as keyof Assumptions]]);
		told.push(...known.map(([name]) => name));
		expect(known).toEqual(wanted);
	};
	await fc.assert(fc.asyncProperty(sets, holds), {
		seed,
		numRuns: Number(process.env.ASSUMPTIONS ?? 10),
		endOnFailure: false,
	});
	expect(uniq(told)).toHaveLength(27);
});
