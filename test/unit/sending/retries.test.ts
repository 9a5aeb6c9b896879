import { countBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { FakeExecution, FakeNode, lost } from '../../support/unit/fakeNode';
import {
	campaign,
	message,
	messageOf,
	numberedPhones,
	planning,
	summary,
} from '../../support/unit/fakeOperations';
import { fakeFile } from '../../support/unit/fakeRead';
import {
	atOnce,
	crashed,
	dyingWith,
	keyed,
	one,
	outcomes,
	parameters,
	phonesIn,
	phonesOf,
	refused,
	turns,
} from '../../support/unit/sends';

const resent = parameters({ ...atOnce(1), resendUnknown: true });

/** A promise, and what ends it. */
function gate() {
	let open = (): void => {};
	const opened = new Promise<void>((resolve) => (open = resolve));
	return { open, opened };
}

const sameAgain = (execution: FakeExecution) => execution;
const retriedFrom = (execution: FakeExecution) => execution.retried();

describe('a retry', () => {
	const items = numberedPhones(4);

	test('knows what another one sends meanwhile, wherever the two meet', async () => {
		for (let ahead = 0; ahead < 60; ahead += 3) {
			let isGood = false;
			const answer = async ({ phone }: IDataObject) => {
				await turns(3);
				return phone === '1' && !isGood ? refused : {};
			};
			const node = new FakeNode({ answer });
			const execution = new FakeExecution();
			const run = { items: numberedPhones(6), parameters: one };
			await node.failure(message, { ...run, execution });
			isGood = true;
			const retries = [0, ahead].map(async (late) => {
				await turns(late);
				return outcomes(await node.json(message, { ...run, execution: execution.retried() }));
			});
			const told = await Promise.all(retries);
			expect([ahead, told.flat().filter((outcome) => outcome === 'unknown')]).toEqual([ahead, []]);
			expect(phonesOf(node)).toHaveLength(7);
		}
	});

	test.each([
		['another try', sameAgain, {}],
		['a retry from the list', retriedFrom, { alreadySent: true }],
	])('sends only what was not sent, and gives all results: %s', async (_, again, mark) => {
		let isGood = false;
		const answer = ({ phone }: IDataObject) =>
			phone === '2' && !isGood ? refused : { id: phone, isGood };
		const node = new FakeNode({ answer });
		const execution = new FakeExecution();
		await node.failure(message, { items, parameters: one, execution });
		isGood = true;
		const retry = { items, parameters: one, execution: again(execution) };
		expect(await node.json(message, retry)).toEqual([
			{ ...mark, id: '0', isGood: false },
			{ ...mark, id: '1', isGood: false },
			{ id: '2', isGood: true },
			{ id: '3', isGood: true },
		]);
		expect(phonesOf(node)).toEqual(['0', '1', '2', '2', '3']);
	});

	test.each([
		[1, 2],
		[5, 10],
		[25, 50],
	])('of %i requests at once doubts at most %i sends', async (batchSize, most) => {
		const run = { items: numberedPhones(100), parameters: parameters(atOnce(batchSize)) };
		const answer = async () => await turns().then(() => ({}));
		const { retried } = await crashed(message, run, '30', { answer });
		const { told, sent } = await retried();
		const { unknown = 0, true: before = 0 } = countBy(told);
		expect(unknown).toBeGreaterThan(0);
		expect(unknown).toBeLessThanOrEqual(most);
		expect(sent).toHaveLength(100 - before - unknown);
	});

	test('of a joined operation gives its one result, whatever failed behind it', async () => {
		const node = new FakeNode({ answer: () => ({ id: 7 }) });
		const execution = new FakeExecution();
		let finish = async (): Promise<void> => await Promise.reject(new Error('n8n cannot wait'));
		const waiting = planning(summary, { finish: async () => await finish() });
		await expect(node.json(waiting, { items, parameters: one, execution })).rejects.toThrow('wait');
		finish = async () => await Promise.resolve();
		const again = { items, parameters: one, execution: execution.retried() };
		expect(await node.json(waiting, again)).toEqual([{ alreadySent: true, id: 7, count: 4 }]);
		expect(node.requests).toHaveLength(1);
	});

	test.each([
		['an item', message, one],
		['a campaign', campaign, parameters({ chunkSize: 'x' })],
	])('knows that nothing was sent where a mistake of %s stops all', async (_, operation, own) => {
		const node = new FakeNode();
		const run = { items: [{ phone: '1' }, { phone: '' }], parameters: own };
		for (let execution = new FakeExecution(), tries = 0; tries < 4; tries++) {
			const { description, context } = await node.failure(operation, { ...run, execution });
			expect([tries, description]).toEqual([tries, expect.stringContaining('Nothing was sent.')]);
			expect(context.data).toMatchObject({ outcome: 'notSent' });
			execution = execution.retried();
		}
		expect(node.sent).toEqual([]);
	});

	test('of which the first has ended well sends nothing in a second one', async () => {
		const run = { items: numberedPhones(9), parameters: one };
		const { retried, execution } = await crashed(message, run, '3');
		const first = execution.afterCrash();
		const { node, sent } = await retried({ execution: first });
		expect(sent).toContain('8');
		await first.end();
		// What is of no use is removed with the next write.
		await node.json(message, { items: [{ phone: '9' }], parameters: one });
		expect((await retried()).sent).toEqual([]);
	});
});

describe('what may have been sent', () => {
	const run = { items: numberedPhones(2), parameters: one, continueOnFail: true };

	test('is not sent again, in this run or another one, unless the user wants it', async () => {
		const answer = ({ phone }: IDataObject) => (phone === '0' ? lost() : { id: phone });
		const node = new FakeNode({ answer });
		const execution = new FakeExecution();
		const first = await node.json(message, { ...run, execution });
		expect(outcomes(first)).toEqual(['unknown', 'sent']);
		const second = await node.json(message, { ...run, execution, runIndex: 1 });
		expect(second[0]).toEqual(first[0]);
		expect(phonesOf(node)).toEqual(['0', '1', '1']);
		await node.json(message, { ...run, parameters: resent, execution });
		expect(phonesOf(node).filter((phone) => phone === '0')).toHaveLength(2);
	});

	test('stops a node that does not continue on fail, but no retry', async () => {
		const stopping = { ...run, continueOnFail: false };
		const { entries, execution } = await crashed(message, stopping, '0');
		const many = { ...stopping, items: numberedPhones(30), execution: execution.afterCrash() };
		const node = new FakeNode({ entries });
		expect(await node.failure(message, many)).toMatchObject({
			message: expect.stringContaining('An earlier attempt was interrupted'),
			context: { itemIndex: 0, data: { outcome: 'unknown' } },
		});
		expect(phonesOf(node)).toHaveLength(28);

		const broken = new FakeNode({ answer: lost });
		const other = new FakeExecution();
		await broken.failure(message, { ...stopping, execution: other });
		// Retry On Fail is no wish of the user; Retry is, and sends what was not sent.
		await broken.failure(message, { ...stopping, execution: other });
		expect(phonesOf(broken)).toEqual(['0']);
		await broken.failure(message, { ...stopping, execution: other.retried() });
		expect(phonesOf(broken)).toEqual(['0', '1']);
	});
});

describe('sends are told apart', () => {
	const run = { items: numberedPhones(2), parameters: one };

	test.each([{}, { establishedAt: 1_700 }])(
		'by execution, also where both began: %j',
		async (at) => {
			const node = new FakeNode();
			for (const execution of [0, 1].map(() => new FakeExecution(at)))
				expect(outcomes(await node.json(message, { ...run, execution }))).toEqual(['sent', 'sent']);
			expect(phonesOf(node)).toEqual(['0', '1', '0', '1']);
		},
	);

	const called = (by: string) =>
		new FakeExecution({ mode: 'integrated', source: 'integrated', calledBy: by });

	test('of two calls of a sub-workflow, of which the second has failed before it noted anything', async () => {
		const node = new FakeNode({ answer: ({ phone }) => (phone === '1' ? refused : {}) });
		const [first, second] = [called('7'), called('7')];
		await node.failure(message, { ...run, execution: first });
		const single = { ...run, items: numberedPhones(1) };
		const credential = { baseUrl: 'no address', apiKey: 'key' };
		await node.failure(message, { ...single, execution: second, credential });
		const again = { ...single, execution: second.retried() };
		expect(outcomes(await node.json(message, again))).toEqual(['sent']);
	});

	test('of two of which one has ended well not where the other was cut off', async () => {
		const node = dyingWith('9');
		const [first, execution] = [called('7'), called('7')];
		await node.json(message, { ...run, items: [{ phone: '8' }], execution: first });
		await node.json(message, { ...run, execution });
		await first.end();
		const last = { ...run, items: numberedPhones(10), runIndex: 1 };
		expect(await node.tried(message, { ...last, execution })).toBeUndefined();
		const other = new FakeNode({ entries: node.store.entries });
		await other.failure(message, { ...run, execution: execution.afterCrash() });
		expect(other.sent).toEqual([]);
	});

	test('of two that were cut off not, in the retry of a refused retry either', async () => {
		const { entries } = await crashed(message, run, '1', { execution: called('7') });
		const second = called('7');
		const others = { ...run, items: [{ phone: '8' }, { phone: '9' }] };
		await dyingWith('9', { entries }).tried(message, { ...others, execution: second });
		const node = new FakeNode({ entries });
		const execution = second.afterCrash();
		await node.failure(message, { ...others, execution });
		await node.failure(message, { ...others, execution: execution.retried() });
		expect(node.sent).toEqual([]);
	});

	test('by call where n8n calls a tool without an execution, without a trace of what ended well', async () => {
		const node = new FakeNode({
			isTool: true,
			answer: ({ phone }) => (phone === '1' ? refused : {}),
		});
		for (let n = 0; n < 30; n++) {
			const execution = called(`caller ${Math.floor(n / 3)}`);
			await node.json(message, { ...run, items: numberedPhones(1), execution });
			await execution.end();
			// As its MCP server does.
			const none = Object.assign(new FakeExecution(), { id: undefined, establishedAt: undefined });
			const told = await node.json(message, { ...run, execution: none });
			expect(outcomes(told)).toEqual(['sent', 'rejected']);
		}
		expect(node.store.entries.size).toBeLessThan(30);
	});

	test('not of a sub-workflow that crashed: n8n has lost which call it was, so nothing is sent', async () => {
		const items = numberedPhones(4);
		const { retried } = await crashed(message, { ...run, items }, '3', { execution: called('1') });
		const { told, output, sent } = await retried();
		expect([told, sent]).toEqual([Array(4).fill('unknown'), []]);
		expect(output[0]?.json.error).toContain("n8n can't tell which call");
	});

	test('not by call, where a retry has an agent call anew what it had called', async () => {
		const node = new FakeNode({ isTool: true });
		const told = async (execution: FakeExecution, from: number, phones: string[]) => {
			const all: IDataObject[] = [];
			for (const [n, phone] of phones.entries()) {
				const items = [{ phone, toolCallId: `${execution.id} ${n}` }];
				all.push(...(await node.json(message, { ...run, items, execution, runIndex: from + n })));
			}
			return outcomes(all);
		};
		const first = new FakeExecution();
		expect(await told(first, 0, ['1', '1'])).toEqual(['sent', 'sent']);
		// The calls went well, and the execution has failed with the agent.
		await first.end(new Error('The agent failed'));
		const retry = first.retried();
		const again = ['1', '1', '1', '2'];
		expect(await told(retry, 2, again)).toEqual([true, true, 'sent', 'sent']);
		expect(await told(retry.resumed(), 6, ['1'])).toEqual(['sent']);
		expect(await told(first.retried(), 2, ['1', '2', '3'])).toEqual([true, true, 'sent']);
	});

	test('by their text, where an agent calls anew in another order', async () => {
		const text = messageOf('phone', 'text');
		const execution = new FakeExecution();
		const own = { parameters: { ...one, text: '={{ $json.text }}' } };
		const call = (phone: string, said: string) => ({ ...own, items: [{ phone, text: said }] });
		const node = new FakeNode({ isTool: true });
		for (const [n, phone] of ['0', '1'].entries())
			await node.json(text, { ...call(phone, `first ${phone}`), execution, runIndex: n });
		const retry = { execution: execution.retried() };
		const told = async (phone: string, said: string, runIndex: number) =>
			outcomes(await node.json(text, { ...call(phone, said), ...retry, runIndex }))[0];
		expect(await told('1', 'first 1', 2)).toBe(true);
		// It may be the message of the run that failed, in other words.
		expect(await told('0', 'other', 3)).toBe('unknown');
		expect(await told('2', 'new', 4)).toBe('sent');
	});

	test('by their place, where their files look the same, too', async () => {
		const withFile = planning(message, { file: fakeFile() });
		const items = ['1', '1', '2'].map((phone) => ({ phone }));
		const { retried } = await crashed(withFile, { ...run, items }, '2');
		expect((await retried()).told).toEqual([true, true, 'unknown']);
	});

	test('by run of the node', async () => {
		const entries = new Set<string>();
		const node = new FakeNode({ entries });
		const execution = new FakeExecution();
		for (const runIndex of [0, 1]) await node.json(message, { ...run, execution, runIndex });
		expect(phonesOf(node)).toEqual(['0', '1', '0', '1']);
		// However many rounds have ended well, n8n saves no more with the execution.
		const saved = JSON.stringify(execution.stored).length;
		for (let runIndex = 2; runIndex < 12; runIndex++)
			await node.json(message, { ...run, execution, runIndex });
		expect(JSON.stringify(execution.stored).length).toBeLessThan(1.5 * saved);
		const crashed = execution.afterCrash();
		const other = new FakeNode({ entries });
		for (let runIndex = 1; runIndex < 14; runIndex++) {
			await other.json(message, { ...run, execution: crashed, runIndex });
		}
		expect(phonesOf(other)).toEqual(['0', '1']);
	});

	test.each([
		['not by credential', { credentialId: 'another' }, ['1', '1'], []],
		[
			'by base URL only with a key',
			{ credential: { baseUrl: 'https://other.example/api/v1', apiKey: 'key' } },
			['1', '1'],
			['0', '1'],
		],
	])('%s', async (_, other, sentAgain, sentWithKeys) => {
		const node = new FakeNode({ answer: ({ phone }) => (phone === '1' ? refused : {}) });
		const execution = new FakeExecution();
		await node.failure(message, { ...run, execution });
		for (const again of [execution.retried(), execution.afterCrash()])
			await node.failure(message, { ...run, execution: again, ...other });
		expect(phonesOf(node)).toEqual(['0', '1', ...sentAgain]);
		const keys = new FakeNode();
		for (const which of [{}, other])
			await keys.json(message, { ...run, parameters: keyed, ...which });
		expect(phonesOf(keys)).toEqual(['0', '1', ...sentWithKeys]);
	});
});

test('of more than 15,000 sends, what is not found after a crash is unknown, and nothing waits', async () => {
	const items = numberedPhones(15_004);
	const run = { items, parameters: parameters(atOnce(5_000)) };
	const [known, rejected, last] = ['14999', '15001', '15003'];
	const node = new FakeNode({ answer: ({ phone }) => (phone === rejected ? refused : {}) });
	const execution = new FakeExecution();
	for (let tries = 0; tries < 2; tries++) await node.failure(message, { ...run, execution });
	expect(phonesOf(node).filter((phone) => phone === rejected)).toHaveLength(2);
	const failed = new FakeNode({ entries: node.store.entries });
	await failed.json(message, { ...run, execution: execution.retried() });
	expect(phonesOf(failed)).toEqual([rejected]);
	const told = await node.json(message, {
		...run,
		items: [known, rejected, last].map((phone) => ({ phone })),
		continueOnFail: true,
		execution: execution.afterCrash(),
	});
	expect(outcomes(told)).toEqual([true, 'unknown', 'unknown']);
});

test('what is sent again in other words stays unknown if that is rejected, and Max Sends counts it once', async () => {
	const text = messageOf('phone', 'text');
	const saying = (said: string, options: IDataObject = {}) => ({
		items: numberedPhones(3),
		parameters: { ...parameters({ ...atOnce(1), maxSends: 3, ...options }), text: said },
	});
	const { retried } = await crashed(text, saying('first'), '0');
	const again = saying('second', { resendUnknown: true });
	const answer = ({ phone }: IDataObject) => (phone === '0' ? refused : {});
	const { told, sent } = await retried(again, answer);
	expect([told, sent]).toEqual([
		['unknown', 'sent', 'sent'],
		['0', '1', '2'],
	]);

	const lossy = new FakeNode({ answer: ({ phone }) => (phone === '0' ? lost() : {}) });
	const execution = new FakeExecution();
	await lossy.failure(text, { ...saying('first'), execution });
	const all = await lossy.json(text, {
		...saying('first', { resendUnknown: true }),
		execution: execution.retried(),
		continueOnFail: true,
	});
	expect(outcomes(all)).toEqual(['unknown', 'sent', 'sent']);
});

describe('an idempotency key', () => {
	const run = { items: numberedPhones(3), parameters: keyed };
	const keyedAgain = parameters({ ...keyed.options, resendUnknown: true });

	test('holds although other items of its run were mistakes', async () => {
		const node = new FakeNode();
		const execution = new FakeExecution();
		const items = [{ phone: '' }, { phone: '1' }];
		const all = { ...run, items, continueOnFail: true };
		expect(outcomes(await node.json(message, { ...all, execution }))).toEqual(['notSent', 'sent']);
		await execution.end();
		await node.json(message, { ...run, items: [{ phone: '2' }] });
		expect(outcomes(await node.json(message, all))).toEqual(['notSent', true]);
	});

	test('that a retry adds counts for what earlier attempts sent, or may have', async () => {
		const answers: Record<string, unknown> = { '2': refused };
		const node = new FakeNode({ answer: ({ phone }) => answers[String(phone)] ?? {} });
		const execution = new FakeExecution();
		await node.failure(message, { ...run, parameters: one, execution });
		delete answers['2'];
		await node.json(message, { ...run, execution: execution.retried() });
		expect(outcomes(await node.json(message, run))).toEqual([true, true, true]);

		const { retried, entries } = await crashed(message, { ...run, parameters: one }, '1');
		expect((await retried({ parameters: keyed })).told).toEqual([true, 'unknown', 'sent']);
		const other = new FakeNode({ entries });
		const told = outcomes(await other.json(message, { ...run, continueOnFail: true }));
		expect([told, phonesOf(other)]).toEqual([[true, 'unknown', true], []]);
	});

	test('that an interrupted send has keeps it unknown, whatever ends the attempt to send it again', async () => {
		const { entries } = await crashed(message, run, '0');
		const node = new FakeNode({ entries });
		const limited = parameters({ ...keyedAgain.options, maxSends: 1 });
		const items = [{ phone: '9' }, { phone: '0' }];
		const told = await node.json(message, { items, parameters: limited, continueOnFail: true });
		expect(outcomes(told)).toEqual(['sent', 'unknown']);
	});

	test('hides nothing that Max Sends counts after a crash', async () => {
		const limited = parameters({ ...keyed.options, maxSends: 2 });
		const { retried } = await crashed(message, { ...run, parameters: limited }, '1');
		expect((await retried()).told).toEqual([true, 'unknown', 'notSent']);
	});

	test('of a campaign that another execution has used lets a retry after a crash finish it', async () => {
		const run = {
			items: numberedPhones(8),
			parameters: parameters({ idempotencyKey: 'k', chunkSize: 2 }),
		};
		const node = new FakeNode({ answer: (body) => (phonesIn(body)[0] === '2' ? refused : {}) });
		await node.failure(campaign, run);
		const { retried } = await crashed(campaign, run, '4', node.store);
		expect((await retried()).sent).toEqual(['6', '7']);
	});

	test('holds within a run', async () => {
		const node = new FakeNode();
		const items = [{ phone: '0' }, { phone: '1' }, { phone: '0' }];
		expect(outcomes(await node.json(message, { ...run, items }))).toEqual(['sent', 'sent', true]);
		expect(phonesOf(node)).toEqual(['0', '1']);
	});

	test('of which a send is under way is waited for', async () => {
		const { open, opened } = gate();
		const answers: Array<() => unknown> = [() => refused, () => lost(), () => ({ id: 1 })];
		const node = new FakeNode({
			answer: async ({ phone }) => {
				await opened;
				return answers[Number(phone)]?.();
			},
		});
		const all = { ...run, continueOnFail: true };
		const pace = parameters({ ...keyed.options, ...atOnce(3) });
		const both = Promise.all(
			[0, 1].map(async () => await node.json(message, { ...all, parameters: pace })),
		);
		await turns();
		open();
		const told = (await both).map(outcomes);
		expect(told).toEqual([
			['rejected', 'unknown', 'sent'],
			['rejected', 'unknown', true],
		]);
		// What was rejected is free again.
		expect(phonesOf(node).sort()).toEqual(['0', '0', '1', '2']);
	});

	test('that is in doubt fails in every execution, unless the user has it sent again', async () => {
		const node = new FakeNode({ answer: ({ phone }) => (phone === '1' ? lost() : {}) });
		const all = { ...run, continueOnFail: true };
		expect(outcomes(await node.json(message, all))).toEqual(['sent', 'unknown', 'sent']);
		const [, second] = await node.json(message, all);
		expect(second).toMatchObject({
			error: expect.stringContaining('or an execution with the key "1", may have sent this'),
		});
		expect(phonesOf(node)).toEqual(['0', '1', '2']);
		await node.json(message, { ...all, parameters: keyedAgain });
		expect(phonesOf(node)).toEqual(['0', '1', '2', '1']);
	});

	test('that is in doubt stays so where what is sent again is rejected', async () => {
		let answer: () => unknown = lost;
		const node = new FakeNode({ answer: () => answer() });
		const all = { items: numberedPhones(1), continueOnFail: true };
		await node.json(message, { ...all, parameters: keyed });
		answer = () => refused;
		expect(await node.json(message, { ...all, parameters: keyedAgain })).toMatchObject([
			{ error: 'No', details: { outcome: 'unknown' } },
		]);
	});

	test('of two campaigns at the same time reaches everybody once', async () => {
		const node = new FakeNode({ answer: async () => await turns().then(() => ({})) });
		const items = numberedPhones(6);
		const all = await Promise.all(
			[2, 3].map(
				async (chunkSize) =>
					await node.json(campaign, {
						items,
						parameters: parameters({ idempotencyKey: 'k', chunkSize }),
						continueOnFail: true,
					}),
			),
		);
		expect(all.map(outcomes).filter((told) => told.includes('sent'))).toHaveLength(1);
		expect(phonesOf(node)).toEqual(['0', '1', '2', '3', '4', '5']);
	});
});

test('what was accepted is known after a crash while its status was waited for', async () => {
	const waiting = planning(message, {
		follow: async (response, call) => ({
			...response,
			...(await call({ endpoint: endpoints.getMessages })),
		}),
	});
	const run = { items: [{ phone: '0' }], parameters: keyed };
	const dying = dyingWith((body) => body !== undefined && !body.phone);
	expect(await dying.tried(waiting, run)).toBeUndefined();
	const node = new FakeNode({ entries: dying.store.entries });
	expect(await node.json(waiting, run)).toEqual([{ alreadySent: true, idempotencyKey: '0' }]);
	expect(node.requests).toEqual([]);
});

describe('what nobody can ask for any more', () => {
	const run = { items: numberedPhones(3), parameters: one };

	/** What is left in the row of a node after its next write. */
	async function leftBy(run1: object, operation = message as typeof message | typeof campaign) {
		const node = new FakeNode({ answer: ({ phone }) => (phone === '1' ? refused : {}) });
		const execution = new FakeExecution();
		await node.tried(operation, { ...run, execution, ...run1 });
		await execution.end();
		const noted = new Set(node.store.entries);
		const last = new FakeExecution();
		await node.tried(message, { items: [{ phone: '1' }], parameters: one, execution: last });
		return [...node.store.entries].filter((entry) => noted.has(entry)).length;
	}

	test('is forgotten once the execution has ended', async () => {
		const items = [{ phone: '0' }, { phone: '2' }];
		expect(await leftBy({ items })).toBe(0);
		expect(await leftBy({ items }, campaign)).toBe(0);
	});

	test('is kept after a failure, and so are keys', async () => {
		expect(await leftBy({})).toBeGreaterThan(0);
		expect(await leftBy({ parameters: keyed, items: [{ phone: '0' }] })).toBe(1);
	});

	test('is kept for a further try of n8n, where the first item has failed', async () => {
		const node = new FakeNode({
			answer: ({ phone }) => (phone === '0' ? refused : { id: phone }),
		});
		const all = { ...run, execution: new FakeExecution(), continueOnFail: true };
		const first = await node.json(message, { ...all, retryOnFail: true });
		expect(await node.json(message, all)).toEqual(first);
		expect(phonesOf(node)).toEqual(['0', '1', '2', '0']);
		// That was the last try.
		expect(JSON.stringify(all.execution.stored)).not.toContain('"id":');
	});

	test('is kept where a later node has failed: the retry may be killed', async () => {
		const node = new FakeNode();
		const execution = new FakeExecution();
		await node.json(message, { ...run, execution });
		await execution.end(new Error('A later node failed'));
		const retried = await node.json(message, { ...run, execution: execution.afterCrash() });
		expect(outcomes(retried)).toEqual([true, true, true]);
	});

	test('is kept where an execution was stopped', async () => {
		const execution = new FakeExecution();
		const answer = ({ phone }: IDataObject) => {
			if (phone === '1') execution.stop.abort();
			return {};
		};
		const node = new FakeNode({ answer });
		await node.json(message, { ...run, execution, continueOnFail: true });
		await execution.end();
		// What is of no use would be removed with the next write.
		await node.json(message, { items: [{ phone: '9' }], parameters: one });
		await node.json(message, { ...run, execution: execution.afterCrash() });
		expect(phonesOf(node)).toEqual(['0', '1', '9', '2']);
	});
});
