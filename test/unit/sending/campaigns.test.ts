import fc from 'fast-check';
import { countBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { FakeExecution, FakeNode, lost, type FakeRun } from '../../support/unit/fakeNode';
import { campaign, numberedPhones } from '../../support/unit/fakeOperations';
import { crashed, outcomes, phonesIn, phonesOf, rejected } from '../../support/unit/sends';

const chunked = (chunkSize: number, options: IDataObject = {}) => ({
	options: { chunkSize, ...options },
});

describe('a campaign that is divided differently', () => {
	const items = numberedPhones(6);

	const inTwos: FakeRun = { items, parameters: chunked(2) };

	test('continues after the chunk that a crash interrupted, and resends it if the user wants that', async () => {
		const { retried } = await crashed(campaign, inTwos, '2');
		const { output, reported } = await retried({}, () => rejected);
		expect(reported).toEqual([true, 'unknown', 'rejected']);
		expect(output[0]?.pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
		const resent = await retried({ parameters: chunked(2, { resendUnknown: true }) });
		expect(resent.reported).toEqual([true, 'sent', 'sent']);
		expect(resent.sent).toEqual(['2', '3', '4', '5']);
	});

	test('is unknown in all new chunks while they do not account for everything that was sent', async () => {
		const { retried } = await crashed(campaign, inTwos, '4');
		const changed = items.with(0, { phone: 'new' });
		for (const resendUnknown of [false, true]) {
			const parameters = chunked(2, { resendUnknown });
			const { output, reported } = await retried({ items: changed, parameters });
			expect(reported).toEqual(['unknown', true, resendUnknown ? 'sent' : 'unknown']);
			expect(output[0]?.json.details).toMatchObject({
				count: 2,
				description: expect.stringMatching(/^Set recipients, template and sending number back/),
			});
		}
	});

	test('with a key goes on with further rows in another execution, but in the same chunks only', async () => {
		const parameters = (size: number, key: string) => chunked(size, { idempotencyKey: key });
		const node = new FakeNode();
		await node.json(campaign, { items, parameters: parameters(2, 'k') });
		const more = { items: numberedPhones(7), parameters: parameters(2, 'k') };
		expect(outcomes(await node.json(campaign, more))).toEqual([true, true, true, 'sent']);
		for (const resend of [{}, { resendUnknown: true }]) {
			const other = chunked(3, { idempotencyKey: 'k', ...resend });
			const failure = await node.failure(campaign, { items, parameters: other });
			expect(failure.context.data).toMatchObject({ outcome: 'unknown' });
			expect(failure.description).toContain('or another key for other recipients.');
		}
		expect(phonesOf(node)).toHaveLength(7);
	});

	test('by the order of its rows alone is the same, in a retry and by its key', async () => {
		const reversed = [...items].reverse();
		const whole = { parameters: chunked(6) };
		const { retried } = await crashed(campaign, { ...whole, items }, '2');
		// Uncertain as a whole, and so without advice to restore anything.
		const { output, sent } = await retried({ ...whole, items: reversed });
		expect([outcomes([output[0]?.json ?? {}]), sent]).toEqual([['unknown'], []]);
		expect(JSON.stringify(output)).not.toContain('Set recipients');

		const node = new FakeNode();
		const parameters = chunked(6, { idempotencyKey: 'k' });
		await node.json(campaign, { items, parameters });
		expect(outcomes(await node.json(campaign, { items: reversed, parameters }))).toEqual([true]);
	});

	test('with a key whose fate is unknown is not told to change in another execution', async () => {
		const parameters = chunked(6, { idempotencyKey: 'k' });
		const node = new FakeNode({ respond: lost });
		await node.failure(campaign, { items, parameters });
		const { context, description } = await node.failure(campaign, { items, parameters });
		expect([context.data, phonesOf(node)]).toMatchObject([{ outcome: 'unknown' }, { length: 6 }]);
		expect(description).not.toContain('Set recipients');
	});

	test('with a key in a loop is sent in the first round, and not with other rows in the next one', async () => {
		const parameters = chunked(2, { idempotencyKey: 'k' });
		const [node, execution] = [new FakeNode(), new FakeExecution()];
		await node.json(campaign, { items, parameters, execution });
		const rounds = [
			{ items, parameters, execution, runIndex: 1 },
			{ items: numberedPhones(9).slice(6), parameters, execution, runIndex: 2 },
		];
		const again = await Promise.all(
			rounds.map(async (run) =>
				outcomes(await node.json(campaign, { ...run, continueOnFail: true })),
			),
		);
		expect(again).toEqual([
			[true, true, true],
			['unknown', 'unknown'],
		]);
		expect(phonesOf(node)).toHaveLength(6);
	});

	test('whose retry has a key is known to other executions by that key, as far as the retry reports it as sent', async () => {
		const size = fc.integer({ min: 1, max: 4 });
		const drawn = fc.tuple(size, size, size, fc.nat(14), fc.nat(6), fc.boolean());
		await fc.assert(
			fc.asyncProperty(drawn, async ([first, second, third, diesAt, rejectedRow, hadKey]) => {
				const key = { idempotencyKey: 'k' };
				const respond = (body: IDataObject) =>
					phonesIn(body).includes(String(rejectedRow)) ? rejected : {};
				const dying = new FakeNode({ diesAt, respond });
				const execution = new FakeExecution();
				const parameters = chunked(first, hadKey ? key : {});
				const ended = await dying.tried(campaign, { items, parameters, execution });
				fc.pre(!Array.isArray(ended));
				const node = new FakeNode({ entries: dying.entries });
				const output = await node.run(campaign, {
					items,
					parameters: chunked(second, key),
					continueOnFail: true,
					execution: ended ? execution.retried() : execution.afterCrash(),
				});
				const sent = output.flatMap(({ json, pairedItem }) =>
					json.error === undefined ? [pairedItem].flat() : [],
				);
				const reported = new Set(sent.map((from) => String((from as { item: number }).item)));
				const last = new FakeNode({ entries: dying.entries });
				await last.tried(campaign, { items, parameters: chunked(third, key) });
				expect(phonesOf(last).filter((phone) => reported.has(phone))).toEqual([]);
			}),
			{ numRuns: 300 },
		);
	});
});

test('several campaigns with one key for all are all sent, once', async () => {
	const row = fc.record({
		phone: fc.constantFrom('0', '1', '2'),
		template: fc.constantFrom('a', 'b', 'c'),
	});
	const rows = fc.array(row, { minLength: 1, maxLength: 7 });
	await fc.assert(
		fc.asyncProperty(rows, fc.integer({ min: 1, max: 3 }), async (items, size) => {
			const parameters = chunked(size, { idempotencyKey: 'k' });
			const node = new FakeNode();
			for (const outcome of ['sent', true]) {
				const output = await node.json(campaign, { items, parameters });
				expect(new Set(outcomes(output))).toEqual(new Set([outcome]));
				const arrived = node.sent.flatMap((body) =>
					phonesIn(body).map((phone) => ({ phone, template: body.template })),
				);
				expect(countBy(arrived, JSON.stringify)).toEqual(countBy(items, JSON.stringify));
			}
		}),
		{ numRuns: 50 },
	);
});
