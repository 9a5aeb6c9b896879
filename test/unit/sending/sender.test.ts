import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { ApiRequest, CallOptions } from '../../../nodes/MessagingService/api/client';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { Failure } from '../../../nodes/MessagingService/api/failure';
import type { Claim, Claims } from '../../../nodes/MessagingService/sending/claims';
import { Memory } from '../../../nodes/MessagingService/sending/memory';
import type { Operation, Plan } from '../../../nodes/MessagingService/sending/operation';
import type { Job } from '../../../nodes/MessagingService/sending/plan';
import { Sender, type Recover } from '../../../nodes/MessagingService/sending/sender';
import { fakeFile } from '../../support/unit/fakeRead';

const request = { endpoint: endpoints.sendText, body: { to: '1' } };
const failure = (outcome: 'unknown' | 'rejected' | 'notSent', message = 'No.') =>
	new Failure(message, { outcome, description: 'D', statusCode: 503, facts: { code: 'C' } });

interface Settings {
	operation?: Partial<Operation>;
	/** The response to a request, or what it throws. */
	answer?(request: ApiRequest): unknown;
	/** What each claim of a job gives; none without claims. */
	claims?: Claim[];
	resendUnknown?: boolean;
	recover?: Partial<Recover>;
	/** What n8n keeps for the node; none if nothing is remembered. */
	stored?: IDataObject;
	run?: string;
}

/** A sender, and what it has asked and said. */
function sending(settings: Settings = {}) {
	const { operation, answer = () => ({ id: 1 }), claims, resendUnknown = false } = settings;
	const log: string[] = [];
	const asked: Array<[ApiRequest, CallOptions?]> = [];
	const call = async (one: ApiRequest, options?: CallOptions) => {
		asked.push(options ? [one, options] : [one]);
		log.push('call');
		const response = await answer(one);
		if (response instanceof Error) throw response;
		return response as IDataObject;
	};
	const left = [...(claims ?? [])];
	const said = (text: string) => async (index: number) => {
		log.push(`${text} ${index}`);
		return await Promise.resolve(left.shift() ?? 'new');
	};
	const signal = new AbortController().signal;
	const context = {
		getExecutionCancelSignal: () => signal,
		getContext: () => settings.stored,
	} as unknown as IExecuteFunctions;
	const memory = settings.stored && new Memory(context, settings.run ?? 'r');
	const sender = new Sender({
		context,
		operation: { billable: true, ...operation } as Operation,
		call,
		resendUnknown,
		recover: settings.recover as Recover | undefined,
		...(memory && {
			earlier: { memory, resendUnknown, inputOf: (items: number[]) => `input ${items.join()}` },
		}),
		...(claims && {
			claims: {
				claim: said('claim'),
				claimAgain: said('claim again'),
				flush: async () => await Promise.resolve(),
				settle: (index: number, fate: string) => void log.push(`settle ${index} ${fate}`),
			} as unknown as Claims,
		}),
	});
	return { sender, log, asked, memory, signal };
}

const jobOf = (plan: Partial<Plan> & { rows?: Uint32Array } = {}, job: Partial<Job> = {}): Job => ({
	items: [3],
	place: '3',
	plan: { request, ...plan },
	...job,
});
const going = () => false;

describe('a job', () => {
	test('gives the records of its response, with its facts', async () => {
		const { sender, log } = sending({ claims: [] });
		expect(await sender.send(jobOf(), 7, going)).toEqual({ records: [{ id: 1 }] });
		expect(log).toEqual(['claim 7', 'call', 'settle 7 accepted']);
		const withFacts = jobOf({}, { facts: { rows: 2 } });
		expect(await sender.send(withFacts, 0, going)).toEqual({ records: [{ id: 1, rows: 2 }] });
		const output = (response: IDataObject) => [response, { second: true }];
		expect(await sending({ operation: { output } }).sender.send(withFacts, 0, going)).toEqual({
			records: [
				{ id: 1, rows: 2 },
				{ second: true, rows: 2 },
			],
		});
	});

	test('without a plan is what was sent before, or nothing', async () => {
		const stored = {};
		const { sender, memory, log } = sending({ stored });
		memory?.rememberAccepted('3', { input: 'input 3' }, { id: 5 });
		const done: Job = { items: [3], place: '3', facts: { rows: 1 } };
		expect(await sender.send(done, 0, going)).toEqual({ records: [{ id: 5, rows: 1 }] });
		expect(sender.before(done)).toEqual({ records: [{ id: 5, rows: 1 }] });
		expect(await sender.send({ ...done, items: [4] }, 0, going)).toBeUndefined();
		expect(sending().sender.before(done)).toBeUndefined();
		expect(log).toEqual([]);
	});

	test.each(['before', 'while it is prepared'])(
		'is left alone if it is stopped %s',
		async (when) => {
			let isStopped = when === 'before';
			const { sender, log } = sending({ claims: [] });
			const prepare = async () => {
				isStopped = true;
				return await Promise.resolve(request);
			};
			expect(await sender.send(jobOf({ prepare }), 2, () => isStopped)).toBeUndefined();
			expect(log).toEqual(['claim 2', 'settle 2 free']);
		},
	);

	test('is left alone if it is stopped while it is claimed', async () => {
		const { sender, log } = sending({ claims: [] });
		expect(await sender.send(jobOf(), 2, () => true)).toBeUndefined();
		expect(log).toEqual(['claim 2', 'settle 2 free']);
	});

	test('that is stopped after it has begun is carried out', async () => {
		let asked = 0;
		const { sender } = sending();
		expect(await sender.send(jobOf(), 0, () => asked++ > 0)).toEqual({ records: [{ id: 1 }] });
	});

	test('is carried out after others of its queue', async () => {
		const order: string[] = [];
		let isRunning = false;
		const answer = async ({ body }: ApiRequest) => {
			expect(isRunning).toBe(false);
			isRunning = true;
			await new Promise(setImmediate);
			isRunning = false;
			order.push(String((body as IDataObject).to));
			return {};
		};
		const { sender } = sending({ answer });
		await Promise.all(
			['a', 'b'].map(async (to) => {
				const plan = { queue: 'q', request: { ...request, body: { to } } };
				await sender.send(jobOf(plan), 0, going);
			}),
		);
		expect(order).toEqual(['a', 'b']);
	});
});

describe('a read', () => {
	const read = (query: Record<string, string>) => ({
		request: { endpoint: endpoints.getMessages, query },
	});

	test('is made once for all that ask the same, and claims nothing', async () => {
		const { sender, asked, log } = sending({ claims: [] });
		const results = await Promise.all(
			['a', 'a', 'b'].map(async (q, n) => await sender.send(jobOf(read({ q })), n, going)),
		);
		expect(results).toEqual(Array(3).fill({ records: [{ id: 1 }] }));
		expect(asked.map(([{ query }]) => query)).toEqual([{ q: 'a' }, { q: 'b' }]);
		expect(log).toEqual(['call', 'call']);
		const other = { request: { endpoint: endpoints.getCalls, query: { q: 'a' } } };
		await sender.send(jobOf(other), 0, going);
		expect(asked).toHaveLength(3);
	});

	test('of a list is made by its own reader, anew where it asks for that', async () => {
		const { sender, asked } = sending();
		const plan: Plan = {
			...read({ q: 'a' }),
			readAll: async (call) => {
				const one = { endpoint: endpoints.getMessages };
				await call(one);
				await call(one, {});
				await call(one, { fresh: true });
				return [{ own: true }];
			},
		};
		expect(await sender.send(jobOf(plan), 0, going)).toEqual({ records: [{ own: true }] });
		expect(asked).toHaveLength(2);
	});

	test('that fails is a failure', async () => {
		const lost = failure('unknown');
		const { sender } = sending({ answer: () => lost });
		expect(await sender.send(jobOf(read({})), 0, going)).toEqual({ failure: lost });
	});
});

describe('a claim', () => {
	test('of another execution is waited for', async () => {
		const busy = Promise.resolve('accepted' as const);
		const { sender, log } = sending({ claims: [{ busy }] });
		expect(await sender.send(jobOf(), 1, going)).toEqual({ busy });
		expect(log).toEqual(['claim 1']);
	});

	test.each([
		['accepted', { records: [{ alreadySent: true, idempotencyKey: 'k', rows: 2 }] }],
		['unknown', { failure: failure('unknown', 'In doubt'), isEarlier: true }],
	] as const)('that says %s sends nothing', async (claim, result) => {
		const recover = {
			accepted: async () => await Promise.reject(new Error('asked')),
			unknown: async () => await Promise.resolve(failure('unknown', 'In doubt')),
		};
		const job = jobOf({}, { key: 'k', facts: { rows: 2 } });
		const first = sending({ claims: [claim], recover });
		expect(await first.sender.send(job, 0, going)).toEqual(result);
		expect(first.log).toEqual(['claim 0']);
		const known = sending({ recover });
		expect(await known.sender.send({ ...job, claim }, 0, going)).toEqual(result);
		const later = sending({ recover });
		expect(await later.sender.sendAfter(Promise.resolve(claim), job, 0, going)).toEqual(result);
		expect([...known.log, ...later.log]).toEqual([]);
	});

	test('that says accepted without a key is looked up', async () => {
		const recover = { accepted: async () => await Promise.resolve({ record: { id: 9 } }) };
		const { sender } = sending({ recover });
		expect(await sender.send(jobOf({}, { claim: 'accepted' }), 0, going)).toStrictEqual({
			records: [{ alreadySent: true, record: { id: 9 } }],
		});
		expect(await sending().sender.send(jobOf({}, { claim: 'accepted' }), 0, going)).toEqual({
			records: [{ alreadySent: true }],
		});
	});

	test('that says unknown without a look-up is in doubt all the same', async () => {
		expect(await sending().sender.send(jobOf({}, { claim: 'unknown' }), 0, going)).toMatchObject({
			failure: { message: 'It may have been sent', outcome: 'unknown' },
			isEarlier: true,
		});
	});

	test('in doubt is sent again where the user wants it', async () => {
		const { sender, log } = sending({ claims: ['unknown', 'new'], resendUnknown: true });
		expect(await sender.send(jobOf(), 4, going)).toEqual({ records: [{ id: 1 }] });
		expect(log).toEqual(['claim 4', 'claim again 4', 'call', 'settle 4 accepted']);
		const without = sending({ resendUnknown: true });
		const result = await without.sender.send(jobOf({}, { claim: 'unknown' }), 4, going);
		expect(result).toEqual({ records: [{ id: 1 }] });
	});

	test('that is free again is claimed again, as often as it takes', async () => {
		const free = async () => await Promise.resolve('free' as const);
		const { sender, log } = sending({ claims: [{ busy: free() }, 'new'] });
		expect(await sender.sendAfter(free(), jobOf(), 5, going)).toEqual({ records: [{ id: 1 }] });
		expect(log).toEqual(['claim again 5', 'claim again 5', 'call', 'settle 5 accepted']);
		expect(await sending().sender.sendAfter(free(), jobOf(), 5, going)).toEqual({
			records: [{ id: 1 }],
		});
	});

	test('that cannot be made is a failure of its send', async () => {
		const error = new Error('no database');
		const { sender } = sending({ claims: [{ busy: Promise.reject(error) }] });
		const first = (await sender.send(jobOf(), 0, going)) as { busy: Promise<'free'> };
		const expected = {
			failure: {
				message: 'no database',
				outcome: 'unknown',
				description:
					'The node met something it does not know. Check with the service whether the request was carried out.',
			},
		};
		expect(await sender.sendAfter(first.busy, jobOf(), 0, going)).toMatchObject(expected);
		const plan = { readAll: async () => await Promise.reject(error) };
		const read = { request: { endpoint: endpoints.getBalance }, ...plan };
		expect(await sender.send(jobOf(read), 0, going)).toMatchObject(expected);
	});
});

describe('what fails', () => {
	test.each([
		['rejected', 'free'],
		['notSent', 'free'],
	] as const)('as %s may be sent again', async (outcome, fate) => {
		const stored = {};
		const own = failure(outcome);
		const { sender, log, memory } = sending({ stored, claims: [], answer: () => own });
		expect(await sender.send(jobOf(), 0, going)).toEqual({ failure: own });
		expect(log).toEqual(['claim 0', 'call', `settle 0 ${fate}`]);
		expect(memory?.places()).toEqual([]);
		expect(sender.known(jobOf())).toBeUndefined();
	});

	test('with an unknown outcome is not sent again, here or in another run', async () => {
		const stored = {};
		const lost = failure('unknown');
		const { sender, log } = sending({ stored, claims: [], answer: () => lost });
		const told = 'No. It may have been sent and must not be repeated before a check';
		const result = await sender.send(jobOf(), 0, going);
		expect(result).toMatchObject({ failure: { message: told, facts: { code: 'C' } } });
		expect(log).toEqual(['claim 0', 'call', 'settle 0 unknown']);
		expect(sender.known(jobOf())).toMatchObject({ failure: { message: told } });
		expect(sender.known(jobOf({}, { items: [4] }))).toBeUndefined();
		const elsewhere = sending({ stored, run: 'other' }).sender;
		expect(elsewhere.known(jobOf({}, { place: '9' }))).toMatchObject({
			failure: { message: told },
		});
		const written = { ...request, body: Buffer.from('{"to":"1"}') };
		for (const [plan, isSame] of [
			[{ request: { ...request, body: { to: '2' } } }, false],
			[{ request: { ...request, endpoint: endpoints.sendTemplate } }, false],
			[{ request: written }, false],
		] as const) {
			expect(elsewhere.known(jobOf(plan)) !== undefined).toBe(isSame);
		}
		expect(elsewhere.known({ items: [3], place: '9' })).toBeUndefined();
		const again = sending({ stored, resendUnknown: true }).sender;
		expect(again.known(jobOf())).toBeUndefined();
		expect(sending().sender.known(jobOf())).toBeUndefined();
	});

	test('of a request that costs nothing asks for no care', async () => {
		const { sender } = sending({
			operation: { billable: undefined },
			answer: () => failure('unknown'),
		});
		expect(await sender.send(jobOf(), 0, going)).toMatchObject({ failure: { message: 'No.' } });
	});

	test('of a form is known by its fields and its file', async () => {
		const stored = {};
		const form = { fields: { a: '1' }, file: fakeFile('one', 'a.pdf') };
		const upload = { endpoint: endpoints.upload, form };
		const { sender } = sending({ stored, answer: () => failure('unknown') });
		await sender.send(jobOf({ request: upload }), 0, going);
		const elsewhere = sending({ stored, run: 'other' }).sender;
		const isKnown = (change: Partial<typeof form>) =>
			elsewhere.known(jobOf({ request: { ...upload, form: { ...form, ...change } } })) !==
			undefined;
		expect(isKnown({})).toBe(true);
		expect(isKnown({ file: fakeFile('two', 'a.pdf') })).toBe(true);
		expect(isKnown({ fields: { a: '2' } })).toBe(false);
		expect(isKnown({ file: fakeFile('one', 'b.pdf') })).toBe(false);
		expect(isKnown({ file: fakeFile('longer', 'a.pdf') })).toBe(false);
	});

	test('before a job is planned is said before anything is sent', () => {
		const wrong = failure('notSent');
		expect(sending().sender.known({ items: [0], place: '0', failure: wrong })).toEqual({
			failure: wrong,
		});
	});

	test.each([
		[failure('unknown', 'Lost'), 'notSent'],
		[failure('rejected', 'Lost'), 'rejected'],
	])('in what is needed first leaves the send unsent: %#', async (error, outcome) => {
		const { sender, log } = sending({ claims: [] });
		const prepare = async () => await Promise.reject(error);
		const result = await sender.send(jobOf({ prepare }), 0, going);
		expect(result).toMatchObject({
			failure: {
				message: 'Lost',
				outcome,
				description: 'D',
				statusCode: 503,
				facts: { code: 'C' },
			},
		});
		expect(log).toEqual(['claim 0', 'settle 0 free']);
	});

	test('is said as it was thrown, whatever it is', async () => {
		const answer = async () => await Promise.reject('text' as unknown as Error);
		const { sender } = sending({ answer, operation: { billable: undefined } });
		expect(await sender.send(jobOf(), 0, going)).toMatchObject({
			failure: { message: 'text', outcome: 'unknown' },
		});
	});
});

describe('what is accepted', () => {
	test('has the id that is promised', async () => {
		const { sender, memory } = sending({ stored: {}, operation: { id: 'message.id' } });
		expect(await sender.send(jobOf(), 0, going)).toMatchObject({
			failure: { message: expect.stringContaining('without message.id'), outcome: 'unknown' },
		});
		expect(memory?.places()).toMatchObject([{ place: '3', isUnknown: true }]);
		const good = sending({ operation: { id: 'id' } });
		expect(await good.sender.send(jobOf(), 0, going)).toEqual({ records: [{ id: 1 }] });
	});

	test('was prepared with what was uploaded before', async () => {
		const stored = {};
		const { sender, asked, memory } = sending({ stored });
		const other = { ...request, body: { to: '2' } };
		const prepare: Plan['prepare'] = async (_call, uploads) => {
			uploads.set('f', 'm1');
			return await Promise.resolve(other);
		};
		await sender.send(jobOf({ prepare }), 0, going);
		expect(asked).toEqual([[other]]);
		expect(memory?.uploads.get('f')).toBe('m1');
		expect(await sending().sender.send(jobOf({ prepare }), 0, going)).toEqual({
			records: [{ id: 1 }],
		});
	});

	test('is followed to its end, which is remembered', async () => {
		const { sender, memory, signal } = sending({ stored: {} });
		const follow: Plan['follow'] = async (response, _call, given) => {
			expect(given).toBe(signal);
			expect(memory?.accepted('3', 'input 3')).toEqual({ id: 1 });
			return await Promise.resolve({ ...response, ended: true });
		};
		const final = { id: 1, ended: true };
		expect(await sender.send(jobOf({ follow }), 0, going)).toEqual({ records: [final] });
		expect(memory?.accepted('3', 'input 3')).toEqual(final);
	});

	test('stays accepted whatever goes wrong after it', async () => {
		const { sender, log } = sending({ claims: [] });
		const follow = async () => await Promise.reject(failure('unknown', 'Down'));
		expect(await sender.send(jobOf({ follow }), 0, going)).toEqual({
			records: [{ id: 1, ended: false, waitStopped: 'Down' }],
		});
		expect(log).toContain('settle 0 accepted');
	});

	test.each<[number[], number[] | undefined, IDataObject]>([
		[[0, 1], [0, 1], { facts: { a: 1 } }],
		[[0, 1], [0, 2], { facts: { a: 1 }, items: '0+1*2' }],
		[[0, 1], undefined, {}],
	])('of the items %j with the rows %j is remembered by them', async (items, rows, kept) => {
		const { sender, memory } = sending({ stored: {} });
		const plan = rows ? { rows: Uint32Array.from(rows) } : {};
		await sender.send(jobOf(plan, { items, facts: { a: 1 } }), 0, going);
		const [place] = memory?.places() ?? [];
		const { input, facts, items: from } = place ?? {};
		expect({ input, facts, items: from }).toEqual({ input: 'input 0,1', ...kept });
	});

	test('of several items that are no rows is remembered by its items', async () => {
		const { sender, memory } = sending({ stored: {} });
		const plan = { rows: undefined };
		await sender.send(jobOf(plan, { items: [0, 1] }), 0, going);
		expect(memory?.places()).toMatchObject([{ items: '0+1*2' }]);
	});
});
