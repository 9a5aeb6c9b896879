import '../../support/core/shortWaits';
import type { IDataObject } from 'n8n-workflow';
import { FakeExecution, FakeNode, lost } from '../../support/unit/fakeNode';
import { message, numberedPhones } from '../../support/unit/fakeOperations';
import {
	atOnce,
	crashed,
	keyed,
	outcomes,
	parameters as parametersOf,
	phonesOf,
	rejected,
} from '../../support/unit/sends';

const options = { ...atOnce(1), chunkSize: 2 };
const parameters = parametersOf(options);
const items = numberedPhones(30);

test.each([0, 3, 8])('after %i writes into the database, no used key is sent', async (writes) => {
	const run = { items: numberedPhones(8), parameters: keyed, continueOnFail: true };
	const first = new FakeNode();
	await first.json(message, { ...run, items: run.items.slice(4) });
	let left = writes;
	const onWrite = () => {
		if (left-- < 1) throw new Error('Locked');
	};
	const node = new FakeNode({ entries: first.entries, onWrite });
	const reported = await node.json(message, run);
	expect(outcomes(reported)).toContain('notSent');
	expect(JSON.stringify(reported)).toContain('Locked');
	expect(phonesOf(node).filter((phone) => phonesOf(first).includes(phone))).toEqual([]);
});

test('keys beyond the safe integers are mistakes of their items; how accents are coded is none', async () => {
	const node = new FakeNode();
	const numbers = [2 ** 53, 2 ** 53 + 2, 12, '\u00e9', 'e\u0301'].map((phone) => ({ phone }));
	const run = {
		items: numbers.map(({ phone }, n) => ({ phone: String(n), key: phone })),
		parameters: parametersOf({ ...options, idempotencyKey: '={{ $json.key }}' }),
	};
	const reported = await node.json(message, { ...run, continueOnFail: true });
	expect(outcomes(reported)).toEqual(['notSent', 'notSent', 'sent', 'sent', true]);
	expect(phonesOf(node)).toEqual(['2', '3']);
});

const unread = { ...parameters, phone: '={{ $json.none }}' };

test.each<[string, IDataObject, IDataObject]>([
	['no recipient', { phone: '' }, {}],
	['an empty key', {}, { idempotencyKey: '={{ $json.none }}' }],
])('what is sent again stays uncertain, whatever stops it: %s', async (_, wrong, more) => {
	const node = new FakeNode({ respond: lost });
	const execution = new FakeExecution();
	const run = { items: items.slice(0, 3), parameters: parametersOf(atOnce(5)) };
	await node.failure(message, { ...run, execution });
	const again = { ...parametersOf({ ...options, resendUnknown: true, ...more }), ...wrong };
	const retry = { ...run, parameters: again, execution: execution.retried() };
	const { description, context } = await node.failure(message, retry);
	expect(description).not.toContain('This node sent nothing.');
	expect(description).toContain('2 more may have been sent');
	expect(context.data).toMatchObject({ outcome: 'unknown' });
});

test('an item that cannot be read in a retry is unknown only if it may have been sent', async () => {
	const execution = new FakeExecution();
	const run = { items: items.slice(0, 3), parameters, continueOnFail: true };
	const stops = new FakeNode({ respond: ({ phone }) => (phone === '1' ? rejected : {}) });
	await stops.failure(message, { ...run, continueOnFail: false, execution });
	const again = { ...run, parameters: unread, execution: execution.retried() };
	expect(outcomes(await stops.json(message, again))).toEqual([true, 'notSent', 'notSent']);

	const { retried } = await crashed(message, run, '1');
	expect(new Set((await retried({ parameters: unread })).reported)).toEqual(new Set(['unknown']));
});

describe('what a run that stops says', () => {
	const advice = 'Correct the field that the error names.';
	const lookUp =
		'Before resending, compare Account > Get Balance with its earlier value. Chat Message > Get Many may not list this kind of message. To resend from a failed execution, add the option "Try Again If Uncertain", save, and choose "Retry with currently saved workflow".';
	const retry = (where = 'this execution', more = '') =>
		`To send only the rest, press Retry on ${where} in the list of executions.${more}`;
	const resending = '"Execute step" and a new execution resend everything.';
	const retryInDoubt = `${retry('this execution', ' Uncertain sends are reported again, not resent.')} ${resending}`;

	/** Sends to 0, 1, 2, … at once; each is accepted, lost or rejected with a text. */
	async function stopped(
		fates: string[],
		of: Partial<FakeExecution> = {},
		more = {},
	): Promise<string> {
		const responses: Record<string, () => unknown> = { accepted: () => ({}), lost };
		const node = new FakeNode({
			respond: ({ phone }) => {
				const fate = fates[Number(phone)] ?? '';
				return responses[fate]?.() ?? { error: fate };
			},
		});
		const { description } = await node.failure(message, {
			items: numberedPhones(fates.length),
			parameters: parametersOf({ ...options, ...atOnce(fates.length), ...more }),
			execution: new FakeExecution(of),
		});
		return description;
	}
	const item = (n: number) => `This is the request to ${n}.`;
	const nothingKnown = 'It is unknown whether anything else was sent.';
	const noKeys = 'A new execution does the same, because every item has a key.';
	const others =
		'To send the other items anyway, open the Settings of this node and set On Error to Continue.';

	test('of a list that one item stops is how to send the others, for a blank last row as well', async () => {
		const rows = [{ phone: '0' }, { phone: '1' }, { phone: '' }];
		const node = new FakeNode();
		const { description } = await node.failure(message, { items: rows, parameters });
		expect(description).toContain(`${others} This node sent nothing.`);
		const continued = await node.json(message, { items: rows, parameters, continueOnFail: true });
		expect(outcomes(continued)).toEqual(['sent', 'sent', 'notSent']);
	});

	test.each<[string[], string]>([
		[['No'], `${advice} This node sent nothing.`],
		[['lost'], lookUp],
		[['lost', 'No'], `${item(0)} ${lookUp} ${nothingKnown}`],
		[
			['accepted', 'No', 'lost'],
			`${item(1)} ${advice} Already sent: 1 of 3 items. Uncertain: 1 more may have been sent. ${retryInDoubt}`,
		],
		[
			['accepted', 'lost'],
			`${item(1)} ${lookUp} Already sent: 1 of 2 items. Uncertain sends are reported again, not resent. ${resending}`,
		],
		[['No', 'a'], `${item(0)} ${advice} This node sent nothing.`],
	])('%j', async (fates, text) => {
		expect(await stopped(fates)).toBe(text);
	});

	test('of an uncertain send that a Retry sends again', async () => {
		const text = await stopped(['accepted', 'lost'], {}, { resendUnknown: true });
		expect(text).toContain(`Already sent: 1 of 2 items. ${retry()} ${resending}`);
	});

	const before = `${item(1)} ${advice} Already sent: 1 of 2 items.`;
	const subWorkflow = `${retry("the sub-workflow's own execution")} A new execution and a retry of the calling workflow resend everything.`;

	test.each<[string, Partial<FakeExecution>, IDataObject, string]>([
		['names the buttons that send again', { mode: 'manual' }, {}, `${retry()} ${resending}`],
		["names a sub-workflow's execution", { mode: 'integrated', calledBy: '7' }, {}, subWorkflow],
		[
			'knows that a new execution sends nothing with keys',
			{},
			keyed.options,
			`${retry()} ${noKeys}`,
		],
	])('%s', async (_, of, more, text) => {
		expect(await stopped(['accepted', 'No'], of, { ...more, ...atOnce(2) })).toBe(
			`${before} ${text}`,
		);
	});

	test('an uncertain send with a key fails again, even in a new execution', async () => {
		const { description } = await new FakeNode({ respond: lost }).failure(message, {
			items: numberedPhones(1),
			parameters: keyed,
		});
		expect(description).toBe(`${lookUp} With its key, a new execution fails again.`);
	});

	test('counts only the keys of items that a new execution could repeat', async () => {
		const node = new FakeNode({ respond: ({ phone }) => (phone === '1' ? rejected : {}) });
		const execution = new FakeExecution();
		const keys = { ...options, idempotencyKey: '={{ $json.key }}' };
		const list = numberedPhones(3).map((item) => ({ ...item, key: item.phone }));
		const run = { items: list, parameters: parametersOf(keys) };
		await node.failure(message, { ...run, execution });
		const [first = {}, ...others] = list;
		const { description } = await node.failure(message, {
			items: [first, ...others.map((item) => ({ ...item, phone: '' }))],
			parameters: parametersOf(keys),
			execution: execution.retried(),
		});
		expect(description).toContain(noKeys);
	});

	test('is not that nothing was sent where another list was before a crash', async () => {
		const { entries, execution } = await crashed(message, { items, parameters }, '12');
		const node = new FakeNode({ entries, respond: () => rejected });
		const again = { items: [{ phone: 'new' }, { phone: 'other' }], parameters };
		const { description } = await node.failure(message, {
			...again,
			execution: execution.afterCrash(),
		});
		expect(description).toBe(`This is the request to new. ${advice} ${others} ${nothingKnown}`);
	});

	test.each([
		['always', ''],
		['never', '2'],
	])('does not count what is simulated as sent: %s, "%s"', async (simulate, phone) => {
		const trials = [0, 1].map((n) => ({ phone: String(n), simulate: 'always' }));
		const { description } = await new FakeNode({ respond: () => rejected }).failure(message, {
			items: [...trials, { phone, simulate }],
			parameters: parametersOf({ ...options, simulate: '={{ $json.simulate }}' }),
		});
		expect(description).toMatch(/ This node sent nothing\.$/);
	});

	test('is an item where an agent has called the node, as some agents are shown no error', async () => {
		const node = new FakeNode({ isTool: true, respond: () => rejected });
		const [reported] = await node.json(message, { items: numberedPhones(1), parameters });
		const details = { outcome: 'rejected', description: advice };
		expect(reported).toMatchObject({ error: 'No', details });
	});
});

describe('the hint of a run that went on after failures', () => {
	const keys = { idempotencyKey: '={{ $json.phone }}' };
	const uncertain = 'Uncertain ones with a key fail again unless "Try Again If Uncertain" is on.';
	const repeats = 'A new execution sends the';
	const added = 'again; "Send Only Once per Key", added now, does not prevent that.';
	const seven = `${repeats} 7 successful ones ${added}`;
	const one = `${repeats} successful one ${added}`;
	const onlyFailed = 'A new execution sends only the failed ones.';
	const unsure = '(1 may have been sent)';

	test.each<[number, IDataObject, string[], string]>([
		[9, {}, [], `2 of 9 sends failed. ${seven}`],
		[3, {}, [], `2 of 3 sends failed. ${one}`],
		[9, keys, [], `2 of 9 sends failed. ${onlyFailed}`],
		[9, {}, ['8'], `2 of 9 sends failed ${unsure}. ${seven}`],
		[9, keys, ['8'], `2 of 9 sends failed ${unsure}. ${onlyFailed} ${uncertain}`],
		[9, keys, ['7', '8'], `2 of 9 sends failed (2 may have been sent). ${uncertain}`],
		[
			4,
			{ excludedRecipients: ['447700900210', '447700900211'] },
			[],
			`2 of 4 sends failed. ${onlyFailed}`,
		],
	])('%i items, %j, uncertain: %j', async (count, more, lostPhones, hint) => {
		const failing = [count - 1, count - 2].map(String);
		const respond = ({ phone }: IDataObject) => {
			if (lostPhones.includes(String(phone))) return lost();
			return failing.includes(String(phone)) ? rejected : {};
		};
		const items = numberedPhones(count);
		const excluded = (more.excludedRecipients ?? []) as string[];
		for (const [index, phone] of excluded.entries()) items[index] = { phone };
		const node = new FakeNode({ respond });
		const parameters = parametersOf({ ...options, ...more });
		await node.json(message, { items, parameters, continueOnFail: true });
		expect(node.hints.filter((text) => text.includes('sends failed'))).toEqual([hint]);
	});
});
