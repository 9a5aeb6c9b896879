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
	refused,
	refusing,
} from '../../support/unit/sends';

// n8n's database is asked again after pauses.
jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async () => await new Promise(setImmediate),
}));

const options = { ...atOnce(1), chunkSize: 2 };
const parameters = parametersOf(options);
const items = numberedPhones(30);

test('what was sent before a crash is known, also where an option cannot be read', async () => {
	const { retried } = await crashed(message, { items, parameters }, '26');
	const unreadable = { ...parameters, options: { ...options, timeout: 'soon' } };
	const { told, node } = await retried({ parameters: unreadable });
	expect(told).toContain(true);
	expect(node.requests).toEqual([]);
});

describe("n8n's database that refuses removals at the end of a run", () => {
	/** A node whose database refuses removals as long as it is told to. */
	function refusingRemovals() {
		const state = { refuses: false };
		const node: FakeNode = new FakeNode({
			onWrite: () => {
				if (state.refuses && node.store.calls.at(-1)?.[0] === 'strike') throw new Error('Locked');
			},
			answer: ({ phone }) => {
				if (phone === '2') state.refuses = true;
				return {};
			},
		});
		return { node, state };
	}
	const run = { items: numberedPhones(3), parameters: keyed, continueOnFail: true };

	test('lets no later execution with its keys hang, and all of it is known', async () => {
		const { node, state } = refusingRemovals();
		const first = await node.json(message, run);
		expect(outcomes(first)).toEqual(['sent', 'sent', 'sent']);
		state.refuses = false;
		for (let execution = 0; execution < 4; execution++) {
			const again = await node.json(message, run);
			expect(again.map(({ alreadySent }) => alreadySent)).toEqual([true, true, true]);
		}
		expect(phonesOf(node)).toEqual(['0', '1', '2']);
	}, 10_000);

	test('lets no retry hang, while it refuses and afterwards', async () => {
		const { node, state } = refusingRemovals();
		const execution = new FakeExecution();
		const plain = { ...run, parameters };
		await node.json(message, { ...plain, execution });
		await node.tried(message, { ...plain, execution: execution.afterCrash() });
		state.refuses = false;
		const last = await node.json(message, { ...plain, execution: execution.afterCrash() });
		expect(outcomes(last)).toEqual([true, true, true]);
		expect(phonesOf(node)).toEqual(['0', '1', '2']);
	}, 10_000);
});

test.each([0, 3, 8])(
	"after %i writes that n8n's database takes, nothing with a used key is sent",
	async (writes) => {
		const run = { items: numberedPhones(8), parameters: keyed, continueOnFail: true };
		const first = new FakeNode();
		await first.json(message, { ...run, items: run.items.slice(4) });
		const node = new FakeNode({ entries: first.store.entries, onWrite: refusing(writes) });
		expect(outcomes(await node.json(message, run))).toContain('notSent');
		expect(phonesOf(node).filter((phone) => phonesOf(first).includes(phone))).toEqual([]);
	},
);

test('keys beyond the safe integers are mistakes of their items; how accents are coded is none', async () => {
	const node = new FakeNode();
	const numbers = [2 ** 53, 2 ** 53 + 2, 12, '\u00e9', 'e\u0301'].map((phone) => ({ phone }));
	const run = {
		items: numbers.map(({ phone }, n) => ({ phone: String(n), key: phone })),
		parameters: parametersOf({ ...options, idempotencyKey: '={{ $json.key }}' }),
	};
	const told = await node.json(message, { ...run, continueOnFail: true });
	expect(outcomes(told)).toEqual(['notSent', 'notSent', 'sent', 'sent', true]);
	expect(phonesOf(node)).toEqual(['2', '3']);
});

test.each([
	['no recipient', { phone: '' }],
	['an empty key', { options: { idempotencyKey: '={{ $json.none }}' } }],
	['a refusal', {}],
] as Array<[string, IDataObject]>)(
	'what is sent again stays in doubt, whatever stops it: %s',
	async (_, wrong) => {
		const again = { ...options, resendUnknown: true };
		let answer: () => unknown = lost;
		const node = new FakeNode({ answer: () => answer() });
		const execution = new FakeExecution();
		const run = { items: items.slice(0, 3), parameters, execution };
		const five = parametersOf(atOnce(5));
		await node.failure(message, { ...run, parameters: five });
		answer = () => refused;
		const failure = await node.failure(message, {
			...run,
			parameters: {
				...parameters,
				...wrong,
				options: { ...again, ...(wrong.options as IDataObject) },
			},
			execution: execution.retried(),
		});
		expect(failure.description).not.toContain('Nothing was sent.');
		expect(failure.context.data).toMatchObject({ outcome: 'unknown' });
		expect(failure.description).toMatch(/Also failed: 1 .*, 2 |2 more may have been sent/);
	},
);

test('an item that cannot be read in a retry is unknown only if it may have been sent', async () => {
	const execution = new FakeExecution();
	const run = { items: items.slice(0, 3), parameters, continueOnFail: true };
	const stops = new FakeNode({ answer: ({ phone }) => (phone === '1' ? refused : {}) });
	await stops.failure(message, { ...run, continueOnFail: false, execution });
	const unread = { ...run, parameters: { ...parameters, phone: '={{ $json.none }}' } };
	const retried = await stops.json(message, { ...unread, execution: execution.retried() });
	expect(outcomes(retried)).toEqual([true, 'notSent', 'notSent']);

	const { retried: after } = await crashed(message, run, '1');
	expect(new Set((await after(unread)).told)).toEqual(new Set(['unknown']));
});

describe('what a run that stops says', () => {
	const advice = 'Correct the field that the message names.';
	const lookUp =
		'Before you send it again, compare Account > Get Balance with its earlier value. Chat Message > Get Many may not list this kind of message. To resend it in a failed execution, add Try Again If Uncertain, save, and choose Retry with currently saved workflow.';
	const cut =
		'The connection to host.example was lost before the response was complete. It may have been sent, so check before you send it again';
	const pressRetry = 'Press Retry in the list of executions: it sends only the rest.';
	const retry = `${pressRetry} Execute step and a new execution send everything again.`;
	const byHand = `Don't press Execute step or Execute workflow: they send everything again. ${pressRetry}`;

	/** Sends to 0, 1, 2, … at once; each is accepted, lost or refused with a text. */
	async function stopped(fates: string[], of: Partial<FakeExecution> = {}): Promise<string> {
		const node = new FakeNode({
			answer: ({ phone }) => {
				const fate = fates[Number(phone)];
				if (fate === 'lost') return lost();
				return fate === 'accepted' ? {} : { error: fate };
			},
		});
		const all = { batching: { batch: { batchSize: fates.length } } };
		const { description } = await node.failure(message, {
			items: numberedPhones(fates.length),
			parameters: { ...parameters, options: all },
			execution: new FakeExecution(of),
		});
		return description;
	}

	test.each<[string[], string]>([
		[['No'], `${advice} Nothing was sent.`],
		[['lost'], lookUp],
		[
			['lost', 'No'],
			`This is item 1, to 0; n8n counts it as [item 0]. ${lookUp} Also failed: 1 (No). Nothing is known to have been sent before this.`,
		],
		[
			['accepted', 'No', 'lost'],
			`This is item 2, to 1; n8n counts it as [item 1]. ${advice} Also failed: 2 (${cut}). 1 of 3 items were sent before this. 1 more may have been sent. ${retry}`,
		],
		[
			['No', 'a', 'b', 'c', 'd', 'e', 'f'],
			`This is item 1, to 0; n8n counts it as [item 0]. ${advice} Also failed: 1 (a), 2 (b), 3 (c), 4 (d), 5 (e) and 1 more. Nothing was sent.`,
		],
	])('%j', async (fates, text) => {
		expect(await stopped(fates)).toBe(text);
	});

	test('names items whose recipient cannot be told by their place', async () => {
		const unread = [{ phone: '0' }, { phone: '' }, { phone: '' }];
		const { description } = await new FakeNode().failure(message, { items: unread, parameters });
		expect(description).toBe(
			'Correct the parameter "Recipient" or the input item it comes from. Also failed: item 3 (Recipient is empty). Nothing was sent.',
		);
	});

	test('is not that nothing was sent where another list was before a crash', async () => {
		const { entries, execution } = await crashed(message, { items, parameters }, '12');
		const again = { parameters, execution: execution.afterCrash() };
		const { description } = await new FakeNode({ entries, answer: () => refused }).failure(
			message,
			{ ...again, items: [{ phone: 'new' }, { phone: 'other' }] },
		);
		expect(description).toBe(
			`This is item 1, to new; n8n counts it as [item 0]. ${advice} Nothing is known to have been sent before this.`,
		);
	});

	test('does not count what is simulated as sent', async () => {
		const own = { ...options, simulate: '={{ $json.simulate }}' };
		const failure = async (simulate: string, bad: string) =>
			await new FakeNode({ answer: () => refused }).failure(message, {
				items: [
					{ phone: '0', simulate: 'always' },
					{ phone: '1', simulate: 'always' },
					{ phone: bad, simulate },
				],
				parameters: { ...parameters, options: own },
			});
		expect((await failure('always', '')).description).toMatch(/ Nothing was sent\.$/);
		expect((await failure('never', '2')).description).toMatch(/ Nothing was sent\.$/);
	});

	test('is an item where an agent has called the node, as some agents are told nothing of an error', async () => {
		const node = new FakeNode({ isTool: true, answer: () => refused });
		const [told] = await node.json(message, { items: numberedPhones(1), parameters });
		expect(told).toMatchObject({
			error: 'No',
			details: { outcome: 'rejected', description: advice },
		});
	});

	test('is not that a new execution sends again what has keys', async () => {
		const node = new FakeNode({ answer: ({ phone }) => (phone === '1' ? refused : {}) });
		const run = { items: numberedPhones(3), parameters: keyed };
		expect((await node.failure(message, run)).description).toBe(
			`This is item 2, to 1; n8n counts it as [item 1]. ${advice} 1 of 3 items were sent before this. ${pressRetry} A new execution resends nothing either, because every item has a key.`,
		);
	});

	test('names in a sub-workflow the execution of which a retry sends nothing twice', async () => {
		const fates = ['accepted', 'No'];
		expect(await stopped(fates, { mode: 'integrated', calledBy: '7' })).toContain(
			`1 of 2 items were sent before this. Press Retry of the sub-workflow's own execution in the list of executions: it sends only the rest. Retry of the calling execution and a new execution send everything again.`,
		);
	});

	test('names first the buttons that send again where somebody has pressed one', async () => {
		expect(await stopped(['accepted', 'No'], { mode: 'manual' })).toBe(
			`This is item 2, to 1; n8n counts it as [item 1]. ${advice} 1 of 2 items were sent before this. ${byHand}`,
		);
	});
});
