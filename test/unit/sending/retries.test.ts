import '../../support/core/shortWaits';
import { countBy, map, range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { findOperation } from '../../../nodes/MessagingService/actions';
import type { ItemOperation } from '../../../nodes/MessagingService/operation';
import { FakeExecution, FakeNode, lost, type FakeRun } from '../../support/unit/fakeNode';
import { campaign, message, messageOf, numberedPhones } from '../../support/unit/fakeOperations';
import {
	atOnce,
	crashed,
	dyingWith,
	keyed,
	one,
	outcomes,
	parameters,
	phonesOf,
	rejected,
	turns,
} from '../../support/unit/sends';

const resent = parameters({ ...atOnce(1), resendUnknown: true });

describe('a retry', () => {
	const items = numberedPhones(4);

	test('recognizes what another retry sends meanwhile, wherever the two meet', async () => {
		for (let ahead = 0; ahead < 60; ahead += 3) {
			let isGood = false;
			const respond = async ({ phone }: IDataObject) => {
				await turns(3);
				return phone === '1' && !isGood ? rejected : {};
			};
			const node = new FakeNode({ respond });
			const execution = new FakeExecution();
			const run = { items: numberedPhones(6), parameters: one };
			await node.failure(message, { ...run, execution });
			isGood = true;
			const retries = [0, ahead].map(async (late) => {
				await turns(late);
				return outcomes(await node.json(message, { ...run, execution: execution.retried() }));
			});
			const reported = await Promise.all(retries);
			expect([ahead, reported.flat().filter((outcome) => outcome === 'unknown')]).toEqual([
				ahead,
				[],
			]);
			expect(phonesOf(node)).toHaveLength(7);
		}
	});

	test.each([
		['another attempt', {}],
		['a retry from the list', { alreadySent: true }],
	])('sends only what was not sent, and returns all results: %s', async (how, mark) => {
		let isGood = false;
		const respond = ({ phone }: IDataObject) =>
			phone === '2' && !isGood ? rejected : { id: phone, isGood };
		const node = new FakeNode({ respond });
		const execution = new FakeExecution();
		await node.failure(message, { items, parameters: one, execution });
		isGood = true;
		const again = how === 'another attempt' ? execution : execution.retried();
		expect(await node.json(message, { items, parameters: one, execution: again })).toEqual([
			{ ...mark, id: '0', to: '0', isGood: false },
			{ ...mark, id: '1', to: '1', isGood: false },
			{ id: '2', to: '2', isGood: true },
			{ id: '3', to: '3', isGood: true },
		]);
		expect(phonesOf(node)).toEqual(['0', '1', '2', '2', '3']);
	});

	test.each([
		[1, 2],
		[5, 10],
	])('of %i requests at once leaves at most %i sends uncertain', async (batchSize, most) => {
		const run = { items: numberedPhones(100), parameters: parameters(atOnce(batchSize)) };
		const respond = async () => await turns().then(() => ({}));
		const { retried } = await crashed(message, run, '30', { respond });
		const { reported, sent } = await retried();
		const { unknown = 0, true: before = 0 } = countBy(reported);
		expect(unknown).toBeGreaterThan(0);
		expect(unknown).toBeLessThanOrEqual(most);
		expect(sent).toHaveLength(100 - before - unknown);
	});
});

describe('what may have been sent', () => {
	const run = { items: numberedPhones(2), parameters: one, continueOnFail: true };

	test('is not sent again, in this run or another one, unless the user wants it', async () => {
		const respond = ({ phone }: IDataObject) => (phone === '0' ? lost() : { id: phone });
		const node = new FakeNode({ respond });
		const execution = new FakeExecution();
		const first = await node.json(message, { ...run, execution });
		expect(outcomes(first)).toEqual(['unknown', 'sent']);
		const three = { ...run, items: numberedPhones(3) };
		const second = await node.json(message, { ...three, execution, runIndex: 1 });
		expect(second[0]).toEqual(first[0]);
		expect(phonesOf(node)).toEqual(['0', '1', '1', '2']);
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
		expect(phonesOf(node)).toHaveLength(29);

		const lossy = new FakeNode({ respond: lost });
		const other = new FakeExecution();
		for (const again of [other, other])
			await lossy.failure(message, { ...stopping, execution: again });
		expect(phonesOf(lossy)).toEqual(['0', '1']);
	});
});

describe('sends are distinguished', () => {
	const run = { items: numberedPhones(2), parameters: one };

	test.each([{}, { establishedAt: 1_700 }])('by execution: %j', async (at) => {
		const node = new FakeNode();
		for (const execution of [0, 1].map(() => new FakeExecution(at)))
			expect(outcomes(await node.json(message, { ...run, execution }))).toEqual(['sent', 'sent']);
		expect(phonesOf(node)).toEqual(['0', '1', '0', '1']);
	});

	const called = (by: string) =>
		new FakeExecution({ mode: 'integrated', source: 'integrated', calledBy: by });

	test('by call if n8n calls a tool without an execution', async () => {
		const node = new FakeNode({
			isTool: true,
			respond: ({ phone }) => (phone === '1' ? rejected : {}),
		});
		for (const by of ['1', '1', '2']) {
			await node.json(message, { ...run, items: numberedPhones(1), execution: called(by) });
			// As its MCP server does.
			const none = Object.assign(new FakeExecution(), { id: undefined, establishedAt: undefined });
			const reported = await node.json(message, { ...run, execution: none });
			expect(outcomes(reported)).toEqual(['sent', 'rejected']);
		}
	});

	test('not of a sub-workflow that crashed: n8n has lost which call it was, so nothing is sent', async () => {
		const { retried, execution } = await crashed(message, run, '1', { execution: called('1') });
		const first = execution.afterCrash();
		const { reported, output, sent } = await retried({ execution: first });
		expect([reported, sent]).toEqual([['unknown', 'unknown'], []]);
		expect(output[0]?.json).toMatchObject({
			error: expect.stringContaining('n8n does not show which run') as string,
			// Another retry would end in the same way.
			details: { description: expect.not.stringContaining('retry this execution') as string },
		});
		expect((await retried({ execution: first.retried() })).sent).toEqual([]);
	});

	test('not by call in a retry, in which an agent repeats its calls', async () => {
		const node = new FakeNode({ isTool: true });
		const reported = async (execution: FakeExecution, from: number, phones: string[]) => {
			const all: IDataObject[] = [];
			for (const [n, phone] of phones.entries()) {
				const items = [{ phone, toolCallId: `${execution.id} ${n}` }];
				all.push(...(await node.json(message, { ...run, items, execution, runIndex: from + n })));
			}
			return outcomes(all);
		};
		const first = new FakeExecution();
		expect(await reported(first, 0, ['1', '1'])).toEqual(['sent', 'sent']);
		// The calls went well, and the execution has failed with the agent.
		await first.end(new Error('The agent failed'));
		const retry = first.retried();
		const again = ['1', '1', '1', '2'];
		expect(await reported(retry, 2, again)).toEqual([true, true, 'sent', 'sent']);
		expect(await reported(retry.resumed(), 6, ['1'])).toEqual(['sent']);
		expect(await reported(first.retried(), 2, ['1', '2', '3'])).toEqual([true, true, 'sent']);
	});

	test('by run of the node, of which n8n may repeat one that went well', async () => {
		const node = new FakeNode();
		const execution = new FakeExecution();
		const single = { ...run, items: numberedPhones(1) };
		for (const runIndex of [0, 0, 1, 2, 2, 3])
			await node.json(message, { ...single, execution, runIndex });
		expect(phonesOf(node)).toHaveLength(4);
		const other = new FakeNode({ entries: node.entries });
		const retry = { ...single, execution: execution.afterCrash() };
		for (let runIndex = 1; runIndex < 6; runIndex++)
			await other.json(message, { ...retry, runIndex });
		expect(phonesOf(other)).toHaveLength(1);
	});

	test('by run of the node, even if the first item has failed, so that n8n may try again', async () => {
		const node: FakeNode = new FakeNode({
			respond: () => (node.requests.length === 1 ? rejected : {}),
		});
		const all = { ...run, execution: new FakeExecution(), retryOnFail: true, continueOnFail: true };
		for (const runIndex of [0, 1])
			await node.json(message, { ...all, items: numberedPhones(2 + runIndex), runIndex });
		expect(phonesOf(node)).toEqual(['0', '1', '0', '1', '2']);
	});

	const sameService = { baseUrl: 'http://HOST.example/api/v1', apiKey: 'key' };
	const other = { baseUrl: 'https://host.example/api/v2', apiKey: 'key' };

	test.each([
		['not by credential', { credentialId: 'another', credential: sameService }, []],
		['by base URL only with a key', { credential: other }, ['0', '1']],
	])('%s', async (_, other, sentWithKeys) => {
		const node = new FakeNode({ respond: ({ phone }) => (phone === '1' ? rejected : {}) });
		const execution = new FakeExecution();
		await node.failure(message, { ...run, execution });
		for (const again of [execution.retried(), execution.afterCrash()])
			await node.failure(message, { ...run, execution: again, ...other });
		expect(phonesOf(node)).toEqual(['0', '1', '1', '1']);
		const keys = new FakeNode();
		for (const which of [{}, other])
			await keys.json(message, { ...run, parameters: keyed, ...which });
		expect(phonesOf(keys)).toEqual(['0', '1', ...sentWithKeys]);
	});
});

test('of more than 15,000 recipients, those not found after a crash are unknown, and nothing waits', async () => {
	const email = messageOf('to');
	/** The nth email, to 500 recipients. */
	const to = (n: number) =>
		range(500)
			.map((one) => `p${one}@${n}.example`)
			.join(', ');
	const run = {
		items: range(34).map((n) => ({ to: to(n) })),
		parameters: { ...parameters(atOnce(10)), to: '={{ $json.to }}' },
	};
	const [known, failing, last] = [to(29), to(31), to(33)];
	const node = new FakeNode({ respond: (body) => (body.to === failing ? rejected : {}) });
	const execution = new FakeExecution();
	for (let tries = 0; tries < 2; tries++) await node.failure(email, { ...run, execution });
	expect(node.sent.filter((body) => body.to === failing)).toHaveLength(2);
	const failed = new FakeNode({ entries: node.entries });
	await failed.json(email, { ...run, execution: execution.retried() });
	expect(map(failed.sent, 'to')).toEqual([failing]);
	const reported = await node.json(email, {
		...run,
		items: [known, failing, last].map((one) => ({ to: one })),
		continueOnFail: true,
		execution: execution.afterCrash(),
	});
	expect(outcomes(reported)).toEqual([true, 'unknown', 'unknown']);
});

test('another process that overwrites the row loses no send in flight', async () => {
	const entries = new Set<string>();
	let writes = 0;
	const onWrite = () => {
		if (++writes === 2) entries.clear();
	};
	const respond = async ({ phone }: IDataObject) =>
		await (phone === '0' ? new Promise(() => {}) : Promise.resolve({}));
	const execution = new FakeExecution();
	const run = { items: numberedPhones(3), parameters: parameters(atOnce(2)) };
	const dying = dyingWith('2', { entries, respond, onWrite });
	expect(await dying.tried(message, { ...run, execution })).toBeUndefined();
	const node = new FakeNode({ entries });
	const retry = { ...run, continueOnFail: true, execution: execution.afterCrash() };
	expect(outcomes(await node.json(message, retry))).toEqual(Array(3).fill('unknown'));
	expect(node.sent).toEqual([]);
});

test('a resent message with another text stays unknown if it is rejected, and Max Sends counts it once', async () => {
	const text = messageOf('phone', 'text');
	const saying = (said: string, options: IDataObject = {}) => ({
		items: numberedPhones(3),
		parameters: { ...parameters({ ...atOnce(1), maxSends: 3, ...options }), text: said },
	});
	const { retried } = await crashed(text, saying('first'), '0');
	const again = saying('second', { resendUnknown: true });
	const respond = ({ phone }: IDataObject) => (phone === '0' ? rejected : {});
	const { reported, sent } = await retried(again, respond);
	expect([reported, sent]).toEqual([
		['unknown', 'sent', 'sent'],
		['0', '1', '2'],
	]);
});

describe('an idempotency key', () => {
	const run = { items: numberedPhones(3), parameters: keyed };
	const keyedAgain = parameters({ ...keyed.options, resendUnknown: true });

	test('that a retry adds counts for what earlier attempts sent, or may have', async () => {
		const responses: Record<string, unknown> = { '2': rejected };
		const node = new FakeNode({ respond: ({ phone }) => responses[String(phone)] ?? {} });
		const execution = new FakeExecution();
		await node.failure(message, { ...run, parameters: one, execution });
		delete responses['2'];
		await node.json(message, { ...run, execution: execution.retried() });
		expect(outcomes(await node.json(message, run))).toEqual([true, true, true]);

		const { retried, entries } = await crashed(message, { ...run, parameters: one }, '1');
		expect((await retried({ parameters: keyed })).reported).toEqual([true, 'unknown', 'sent']);
		const other = new FakeNode({ entries });
		const reported = outcomes(await other.json(message, { ...run, continueOnFail: true }));
		expect([reported, phonesOf(other)]).toEqual([[true, 'unknown', true], []]);
	});

	test('hides nothing that Max Sends counts after a crash', async () => {
		const limited = parameters({ ...keyed.options, maxSends: 2 });
		const { retried } = await crashed(message, { ...run, parameters: limited }, '1');
		expect((await retried()).reported).toEqual([true, 'unknown', 'notSent']);
	});

	test('of which a send is in flight is waited for', async () => {
		let open = (): void => {};
		const opened = new Promise<void>((resolve) => (open = resolve));
		const responses = [rejected, lost(), { id: 1 }];
		const respond = async ({ phone }: IDataObject) =>
			await opened.then(() => responses[Number(phone)]);
		const node = new FakeNode({ respond });
		const pace = parameters({ ...keyed.options, ...atOnce(3) });
		const all = { ...run, parameters: pace, continueOnFail: true };
		const both = Promise.all([0, 1].map(async () => await node.json(message, all)));
		await turns();
		open();
		expect((await both).map(outcomes)).toEqual([
			['rejected', 'unknown', 'sent'],
			['rejected', 'unknown', true],
		]);
		// What was rejected is available again.
		expect(phonesOf(node).sort()).toEqual(['0', '0', '1', '2']);
	});

	test('of a rejected send is available again, even if it could not be removed at first', async () => {
		let writes = 0;
		const onWrite = () => {
			// The first write notes the send, the next ones remove it.
			if (++writes > 1 && writes < 7) throw new Error('Locked');
		};
		let response: unknown = rejected;
		const node = new FakeNode({ onWrite, respond: () => response });
		const single = { ...run, items: numberedPhones(1) };
		await node.failure(message, single);
		expect(writes).toBe(6);
		response = {};
		expect(outcomes(await node.json(message, single))).toEqual(['sent']);
	});

	test('of an uncertain send fails in every execution, unless the user resends it', async () => {
		const node = new FakeNode({ respond: ({ phone }) => (phone === '1' ? lost() : {}) });
		const all = { ...run, continueOnFail: true };
		expect(outcomes(await node.json(message, all))).toEqual(['sent', 'unknown', 'sent']);
		const [, second] = await node.json(message, all);
		expect(second).toMatchObject({
			error: expect.stringContaining(
				'another execution with the key "1", may already have sent this',
			),
		});
		expect(phonesOf(node)).toEqual(['0', '1', '2']);
		await node.json(message, { ...all, parameters: keyedAgain });
		expect(phonesOf(node)).toEqual(['0', '1', '2', '1']);
	});

	test('of two campaigns at the same time reaches everybody once', async () => {
		const node = new FakeNode({ respond: async () => await turns().then(() => ({})) });
		const reported = [2, 3].map(async (chunkSize) => {
			const own = parameters({ idempotencyKey: 'k', chunkSize });
			const run = { items: numberedPhones(6), parameters: own, continueOnFail: true };
			return outcomes(await node.json(campaign, run));
		});
		expect((await Promise.all(reported)).filter((all) => all.includes('sent'))).toHaveLength(1);
		expect(phonesOf(node)).toEqual(['0', '1', '2', '3', '4', '5']);
	});
});

test.each([
	['Sent', { reached: false, ended: false }],
	['Read', { reached: true, ended: true }],
])('after a crash, a send has the facts that the list shows: %s', async (status, seen) => {
	const sendTemplate = findOperation('chatMessage', 'sendTemplate') as ItemOperation;
	const phone = '447700900210';
	const sentAt = '2030-01-01T00:00:00Z';
	const record = { id: 'r1', providerMessageId: 'pm1', to: phone, status, sentAt };
	const dying: FakeNode = dyingWith(
		(body) => body !== undefined && !body.phone && phonesOf(dying).length > 0,
		{ respond: () => ({ messages: [] }) },
	);
	const execution = new FakeExecution();
	const options = { waitForStatus: { wait: { status: 'Delivered' } } };
	const run = { parameters: { phone, templateName: 'order_update', options }, execution };
	expect(await dying.tried(sendTemplate, run)).toBeUndefined();
	const node = new FakeNode({
		entries: dying.entries,
		respond: () => ({ messages: [record], total: 1 }),
	});
	const [item] = await node.json(sendTemplate, { ...run, execution: execution.afterCrash() });
	const known = { providerMessageId: 'pm1', status, messageRecord: record, record };
	expect(item).toEqual({ alreadySent: true, to: phone, ...known, ...seen });
	expect(phonesOf(node)).toEqual([]);
});

test.each<[string, IDataObject, IDataObject[] | undefined]>([
	['nothing', { messages: [] }, []],
	['no list', rejected, undefined],
])('after a crash, the candidates of a send are %s that the service shows', async (...of) => {
	const [, response, candidates] = of;
	const sendTemplate = findOperation('chatMessage', 'sendTemplate') as ItemOperation;
	const phone = '447700900210';
	const run = { parameters: { phone, templateName: 'order_update', options: {} } };
	const { retried } = await crashed(sendTemplate, run, phone);
	const { output } = await retried({}, () => response);
	const details = output[0]?.json.details as IDataObject;
	expect(details).toMatchObject({ outcome: 'unknown' });
	expect(details.candidates).toEqual(candidates);
});

test('after a crash, the only record of two sends to a recipient is that of neither', async () => {
	const sendTemplate = findOperation('chatMessage', 'sendTemplate') as ItemOperation;
	const phone = '447700900210';
	const options = { batching: { batch: { batchSize: 1 } } };
	const run = {
		items: ['a', 'b', 'end'].map((templateName) => ({ templateName })),
		parameters: { phone, templateName: '={{ $json.templateName }}', options },
	};
	const dying = dyingWith(({ templateName } = {}) => templateName === 'end');
	const execution = new FakeExecution();
	expect(await dying.tried(sendTemplate, { ...run, execution })).toBeUndefined();
	const record = { id: 'r1', providerMessageId: 'pm1', to: phone, sentAt: '2030-01-01T00:00:00Z' };
	const respond = () => ({ messages: [record], total: 1 });
	const node = new FakeNode({ entries: dying.entries, respond });
	const again = { ...run, execution: execution.afterCrash(), continueOnFail: true };
	expect((await node.json(sendTemplate, again))[0]).toEqual({ alreadySent: true, to: phone });
});

describe('what an execution has sent', () => {
	const run = { items: numberedPhones(3), parameters: one };
	const good = { items: [{ phone: '0' }, { phone: '2' }] };

	const stopped = (execution: FakeExecution) => execution.stop.abort();
	const laterFailed = ({ resultData }: FakeExecution) =>
		(resultData.error = new Error('A later node failed'));

	test.each<[string, FakeRun, typeof message | typeof campaign, boolean, typeof stopped?]>([
		['is forgotten once the execution has succeeded', good, message, false],
		['is forgotten of a campaign', good, campaign, false],
		['is kept after a failure', {}, message, true],
		['is kept of keys', { ...good, parameters: keyed }, message, true],
		['is kept if the execution was stopped', good, message, true, stopped],
		[
			'is kept if a later node failed, because the retry may crash',
			good,
			message,
			true,
			laterFailed,
		],
	])('%s', async (_, own, operation, isKept, ends = () => {}) => {
		const node = new FakeNode({ respond: ({ phone }) => (phone === '1' ? rejected : {}) });
		const execution = new FakeExecution();
		const all = { ...run, ...own };
		await node.tried(operation, { ...all, execution });
		ends(execution);
		await execution.end();
		const again = { ...all, ...good, execution: execution.afterCrash() };
		expect(outcomes(await node.json(operation, again))).toContain(isKept ? true : 'sent');
	});

	test('is kept for another attempt of n8n, which follows if the first item has failed', async () => {
		const respond = ({ phone }: IDataObject) => (phone === '0' ? rejected : { id: phone });
		const node = new FakeNode({ respond });
		const all = { ...run, execution: new FakeExecution(), continueOnFail: true };
		const first = await node.json(message, { ...all, retryOnFail: true });
		expect(await node.json(message, all)).toEqual(first);
		expect(phonesOf(node)).toEqual(['0', '1', '2', '0']);
	});
});
