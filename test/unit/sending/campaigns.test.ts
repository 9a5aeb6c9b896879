import fc from 'fast-check';
import { countBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { FakeExecution, FakeNode, lost, type FakeRun } from '../../support/unit/fakeNode';
import { campaign, numberedPhones } from '../../support/unit/fakeOperations';
import { crashed, outcomes, phonesIn, phonesOf, refused } from '../../support/unit/sends';

const chunked = (chunkSize: number, options: IDataObject = {}) => ({
	options: { chunkSize, ...options },
});

describe('a campaign that is divided otherwise', () => {
	const items = numberedPhones(6);

	const inTwos: FakeRun = { items, parameters: chunked(2) };

	test('goes on behind what was under way in a crash, and sends that again where the user wants it', async () => {
		const { retried } = await crashed(campaign, inTwos, '2');
		const { output, told } = await retried({}, () => refused);
		expect(told).toEqual([true, 'unknown', 'rejected']);
		expect(output[0]?.pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
		const resent = await retried({ parameters: chunked(2, { resendUnknown: true }) });
		expect(resent.told).toEqual([true, 'sent', 'sent']);
		expect(resent.sent).toEqual(['2', '3', '4', '5']);
	});

	test('is unknown in all new chunks as long as anything of it was sent that they do not account for', async () => {
		const { retried } = await crashed(campaign, inTwos, '4');
		const changed = items.with(0, { phone: 'new' });
		for (const resendUnknown of [false, true]) {
			const parameters = chunked(2, { resendUnknown });
			const { output, told } = await retried({ items: changed, parameters });
			expect(told).toEqual(['unknown', true, resendUnknown ? 'sent' : 'unknown']);
			expect(output[0]?.json.details).toMatchObject({
				count: 2,
				description: expect.stringMatching(/^Set recipients, template and sending number back/),
			});
		}
	});

	test.each([
		['that could not be planned', 0],
		['in which it was cut otherwise', 3],
	])('is known again after a retry %s, also in the retry of that retry', async (_, size) => {
		const { retried, execution } = await crashed(campaign, inTwos, '4');
		const retry = execution.afterCrash();
		const other = await retried({ parameters: chunked(size), execution: retry });
		for (const again of [execution.afterCrash(), retry.retried()]) {
			const { told, node } = await retried({ execution: again });
			expect(told).toEqual([true, true, 'unknown']);
			expect([...other.sent, ...node.sent]).toEqual([]);
		}
	});

	test('is the same in the order of its rows, whichever chunk was sent first', async () => {
		const execution = new FakeExecution();
		const run = { ...inTwos, continueOnFail: true, retryOnFail: true, execution };
		const dying: FakeNode = new FakeNode({
			answer: (body) => (phonesIn(body)[0] === '0' && dying.requests.length < 4 ? refused : {}),
			diesWith: () => dying.requests.length === 4,
		});
		expect(outcomes(await dying.json(campaign, run))).toEqual(['rejected', 'sent', 'sent']);
		await dying.tried(campaign, run);
		const node = new FakeNode({ entries: dying.entries });
		const told = await node.json(campaign, { ...run, execution: execution.afterCrash() });
		expect(outcomes(told)).toEqual(['unknown', true, true]);
	});

	test('is not taken for one of another execution', async () => {
		const others = { items: numberedPhones(9), parameters: chunked(2) };
		const refusing = new FakeNode({ answer: () => refused });
		await refusing.failure(campaign, others);
		const { retried } = await crashed(campaign, inTwos, '4', refusing);
		expect((await retried()).told).toEqual([true, true, 'unknown']);
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

	test('a part of which is sent again counts once', async () => {
		const parameters = chunked(2, { idempotencyKey: 'k', resendUnknown: true });
		const fates: unknown[] = [{}, lost()];
		const node = new FakeNode({ answer: () => fates.shift() ?? {} });
		const execution = new FakeExecution();
		await node.failure(campaign, { items, parameters, execution });
		await node.json(campaign, { items, parameters, execution });
		expect(phonesOf(node)).toEqual(['0', '1', '2', '3', '2', '3', '4', '5']);
		const other = { items: numberedPhones(5), parameters, continueOnFail: true };
		expect(outcomes(await node.json(campaign, other))).toEqual([true, true, 'unknown']);
	});

	test('to which a retry that fails again adds a key is finished by the next one', async () => {
		const answers: Record<string, unknown> = { '2': refused, '4': refused };
		const node = new FakeNode({ answer: (body) => answers[phonesIn(body)[0] ?? ''] ?? {} });
		const execution = new FakeExecution();
		await node.failure(campaign, { ...inTwos, execution });
		delete answers['2'];
		const retry = { items, parameters: chunked(2, { idempotencyKey: 'k' }) };
		const second = execution.retried();
		await node.failure(campaign, { ...retry, execution: second });
		delete answers['4'];
		const last = await node.json(campaign, { ...retry, execution: second.retried() });
		expect(outcomes(last)).toEqual([true, true, 'sent']);
	});

	test('whose retry has a key is known by that to other executions, as far as the retry reports it as sent', async () => {
		const size = fc.integer({ min: 1, max: 4 });
		const drawn = fc.tuple(size, size, size, fc.nat(14), fc.nat(6), fc.boolean());
		await fc.assert(
			fc.asyncProperty(drawn, async ([first, second, third, diesAt, refusedRow, hadKey]) => {
				const key = { idempotencyKey: 'k' };
				const answer = (body: IDataObject) =>
					phonesIn(body).includes(String(refusedRow)) ? refused : {};
				const dying = new FakeNode({ diesAt, answer });
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

	test('that Retry On Fail cuts otherwise sends nothing twice', async () => {
		const node = new FakeNode({ answer: (body) => (phonesIn(body)[0] === '2' ? refused : {}) });
		const execution = new FakeExecution();
		await node.failure(campaign, { ...inTwos, execution });
		await node.failure(campaign, { items, parameters: chunked(3), execution });
		expect(phonesOf(node)).toEqual(['0', '1', '2', '3']);
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
