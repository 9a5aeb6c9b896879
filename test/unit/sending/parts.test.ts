import fc from 'fast-check';
import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
} from 'n8n-workflow';
import { node } from '../../../harness/builders';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { Failure, InputFailure } from '../../../nodes/MessagingService/api/failure';
import { lists } from '../../../nodes/MessagingService/api/lists';
import { inputFailureOr } from '../../../nodes/MessagingService/sending/inputFailure';
import { Memory } from '../../../nodes/MessagingService/sending/memory';
import type { Operation } from '../../../nodes/MessagingService/sending/operation';
import { recovery } from '../../../nodes/MessagingService/sending/recover';
import { failedItem, nodeError, successItem } from '../../../nodes/MessagingService/sending/report';
import { readRows, writeRows } from '../../../nodes/MessagingService/sending/rows';
import { readSettings } from '../../../nodes/MessagingService/sending/settings';
import { isSimulated, simulated } from '../../../nodes/MessagingService/sending/simulate';
import { stopReport } from '../../../nodes/MessagingService/sending/stopReport';
import { uploadsIn } from '../../../nodes/MessagingService/sending/uploads';
import { fakeFile, fakeRead } from '../../support/unit/fakeRead';

const failure = (outcome: 'unknown' | 'rejected' = 'rejected', message = 'No') =>
	new Failure(message, { outcome, description: 'D', statusCode: 500, facts: { code: 'C' } });

/** An operation, as far as reports look at it. */
const operation = (kind: 'item' | 'joined', billable = true): Operation =>
	({
		kind,
		fields: [],
		...(billable ? { billable } : {}),
		nameRecord: ({ id }: IDataObject) => `<${String(id)}>`,
	}) as unknown as Operation;

describe('rows in short', () => {
	test.each([
		[[], ''],
		[[0], '0+1*1'],
		[[7], '7+1*1'],
		[[0, 1, 2], '0+1*3'],
		[[0, 1, 2, 4, 9], '0+1*3,4+5*2'],
		[[4, 9, 10], '4+5*2,10+1*1'],
		[[0, 5, 10, 15], '0+5*4'],
	])('%j are %j', (rows, text) => {
		expect(writeRows(Uint32Array.from(rows))).toBe(text);
		expect(readRows(text)).toEqual(rows);
	});

	test('any rows come back', () => {
		fc.assert(
			fc.property(fc.uniqueArray(fc.nat(30), { maxLength: 20 }), (drawn) => {
				const rows = drawn.sort((a, b) => a - b);
				expect(readRows(writeRows(Uint32Array.from(rows)))).toEqual(rows);
			}),
		);
	});
});

describe('an item', () => {
	test('of a success has no error of its own', () => {
		expect(successItem({ id: 1, error: 'Late' }, [2])).toEqual({
			json: { id: 1, serviceError: 'Late' },
			pairedItem: { item: 2 },
		});
		for (const error of [undefined, null]) {
			const { json } = successItem({ id: 1, error }, [0]);
			expect(Object.keys(json)).toEqual(['id']);
		}
		expect(successItem({ error: '' }, [0, 3])).toEqual({
			json: { serviceError: '' },
			pairedItem: [{ item: 0 }, { item: 3 }],
		});
	});

	test('of a failure says what is known of it', () => {
		const job = { items: [4], place: '4', facts: { rows: 3 } };
		const details = { outcome: 'rejected', statusCode: 500, description: 'D', code: 'C' };
		expect(failedItem(failure(), job)).toStrictEqual({
			json: { error: 'No', details: { ...details, rows: 3 } },
			pairedItem: { item: 4 },
		});
		const binary = { screenshot: { data: '', mimeType: 'image/png' } };
		const withFile = new Failure('No', { outcome: 'unknown', description: 'D', binary });
		expect(failedItem(withFile, job)).toMatchObject({ binary });
	});

	test('that stops the node has the words of the failure, whatever n8n makes of them', () => {
		const sender = node('Send', 'a.b');
		const text = 'getaddrinfo ENOTFOUND host';
		const api = nodeError(sender, failure('rejected', text), 3, 'Nothing was sent.');
		expect(api).toBeInstanceOf(NodeApiError);
		expect(api).toMatchObject({
			message: text,
			description: 'D Nothing was sent.',
			httpCode: '500',
			context: {
				itemIndex: 3,
				data: { outcome: 'rejected', statusCode: 500, description: 'D', code: 'C' },
			},
			node: { name: 'Send' },
		});
		expect(nodeError(sender, failure(), 3).description).toBe('D');
		const input = nodeError(sender, new InputFailure('Wrong', 'Correct it.'), 1, 'More.');
		expect(input).toBeInstanceOf(NodeOperationError);
		expect(input).toMatchObject({
			message: 'Wrong',
			description: 'Correct it. More.',
			context: { itemIndex: 1, data: { outcome: 'notSent' } },
		});
		const open = new Failure('M', { outcome: 'unknown', description: '' });
		expect(nodeError(sender, open, 0, 'Added.')).toMatchObject({
			description: 'Added.',
			httpCode: null,
		});
	});
});

describe('what a run that stopped says', () => {
	const sent = (id: number) => ({ records: [{ id }] });
	const failed = (outcome: 'unknown' | 'rejected' = 'rejected', message = 'No') => ({
		failure: failure(outcome, message),
	});
	const kept = 'a retry of this execution does not send them again.';
	type Results = Parameters<typeof stopReport>[1];
	const report = (kind: 'item' | 'joined', results: unknown[], stoppedBy = 0, billable = true) =>
		stopReport(operation(kind, billable), results as Results, stoppedBy);

	test.each<['item' | 'joined', unknown[], string]>([
		['item', [failed()], 'Nothing was sent.'],
		['item', [failed(), undefined], 'Nothing was sent.'],
		['item', [failed('unknown')], ''],
		['joined', [failed('unknown')], ''],
		['item', [failed('unknown'), undefined], '0 of 2 items were sent before this.'],
		['joined', [failed('unknown'), undefined], 'Nothing was sent before this.'],
		['item', [failed(), sent(1), undefined], `1 of 3 items were sent before this; ${kept}`],
		['joined', [failed(), sent(1), sent(2)], `Before this, <1>, <2> went out; ${kept}`],
		[
			'joined',
			[failed(), { records: Array.from({ length: 20 }, (_, id) => ({ id })) }],
			`Before this, ${Array.from({ length: 20 }, (_, id) => `<${id}>`).join(', ')} went out; ${kept}`,
		],
		[
			'joined',
			[failed(), ...Array.from({ length: 22 }, (_, id) => sent(id))],
			`Before this, ${Array.from({ length: 20 }, (_, id) => `<${id}>`).join(', ')} and 2 more went out; ${kept}`,
		],
	])('%s %#', (kind, results, text) => {
		expect(report(kind, results)).toBe(text);
		expect(report(kind, results, 0, false)).toBe('');
	});

	test('names further failures, as many as somebody reads', () => {
		const long = 'x'.repeat(201);
		const five = [
			failed('rejected', long),
			...['b', 'c', 'd', 'e'].map((m) => failed('rejected', m)),
		];
		const named = `item 2 (${long.slice(1)}…), item 3 (b), item 4 (c), item 5 (d), item 6 (e)`;
		expect(report('item', [failed(), ...five], 0, false)).toBe(`Also failed: ${named}.`);
		expect(report('item', [failed(), ...five, failed(), failed()])).toBe(
			`Also failed: ${named} and 2 more. Nothing was sent.`,
		);
		expect(report('item', [failed('rejected', long.slice(1)), failed()], 1, false)).toBe(
			`Also failed: item 1 (${long.slice(1)}).`,
		);
	});
});

describe('input that cannot be used', () => {
	const failing = async (error: unknown) =>
		await inputFailureOr(2, async () => await Promise.reject(error as Error));

	test('is a failure, whatever was thrown', async () => {
		expect(await inputFailureOr(0, () => 7)).toBe(7);
		const own = failure();
		expect(await failing(own)).toBe(own);
		const preset = 'Correct the expression or the input item.';
		const message = `${'x'.repeat(500)} (item 3)`;
		for (const [error, expected] of [
			[new Error('bad [item 2]'), { message: 'bad (item 3)', description: preset }],
			[new Error('x'.repeat(501)), { message, description: preset }],
			[
				{ message: 'bad', description: 'Do this.' },
				{ message: 'bad (item 3)', description: 'Do this.' },
			],
			['text', { message: 'text (item 3)', description: preset }],
		] as const) {
			const result = await failing(error);
			expect(result).toBeInstanceOf(InputFailure);
			expect(result).toMatchObject(expected);
		}
	});
});

describe('settings', () => {
	const fieldsOf = (...options: Array<{ name: string }>) =>
		[
			{ displayName: 'Options', name: 'options', type: 'collection', default: {}, options },
		] as never;
	const field = (name: string, preset: unknown) => ({
		displayName: name,
		name,
		type: 'string',
		default: preset,
	});
	const batching = {
		...field('batching', {}),
		type: 'fixedCollection',
		options: [
			{
				name: 'batch',
				displayName: 'Batch',
				values: [field('batchSize', 50), field('batchInterval', 0)],
			},
		],
	};
	const common = [field('timeout', 60_000), field('resendUnknown', false)];

	test.each([
		[true, { batchSize: 7, batchInterval: 3 }],
		[false, { batchSize: 1, batchInterval: 0 }],
	])('with batching: %s', (isPaced, pace) => {
		const fields = fieldsOf(...(isPaced ? [batching] : []), ...common);
		const options = {
			timeout: 5,
			resendUnknown: true,
			batching: { batch: { batchSize: 7, batchInterval: 3 } },
		};
		const read = fakeRead(fields, { options });
		for (const billable of [true, false]) {
			const one = { ...operation('item', billable), fields } as Operation;
			expect(readSettings(one, read)).toEqual({
				...pace,
				timeout: 5,
				resendUnknown: billable,
			});
		}
	});

	test('are numbers that make sense', () => {
		const fields = fieldsOf(batching, ...common);
		const settingsOf = (batch: object, timeout: unknown = 1) =>
			readSettings(
				{ ...operation('item', false), fields } as Operation,
				fakeRead(fields, { options: { timeout, batching: { batch } } }),
			);
		expect(settingsOf({ batchSize: 1, batchInterval: 0 })).toMatchObject({ batchSize: 1 });
		expect(() => settingsOf({ batchSize: 0, batchInterval: 0 })).toThrow(InputFailure);
		expect(() => settingsOf({ batchSize: 1, batchInterval: -1 })).toThrow(InputFailure);
		expect(() => settingsOf({ batchSize: 1, batchInterval: 0 }, 0)).toThrow(InputFailure);
	});
});

describe('a simulation', () => {
	const simulate = {
		displayName: 'Simulate',
		name: 'simulate',
		type: 'options',
		default: 'never',
	};
	const fields = [
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			default: {},
			options: [simulate],
		},
	] as never;
	const is = (choice: string, mode: string, source?: string, billable = true) => {
		const context = {
			getMode: () => mode,
			getExecutionContext: () => (source === undefined ? undefined : { source }),
		} as unknown as IExecuteFunctions;
		const read = fakeRead(fields, { options: { simulate: choice } });
		return isSimulated(context, operation('item', billable), read);
	};

	test.each([
		['never', 'manual', undefined, false],
		['always', 'trigger', 'trigger', true],
		['notInProduction', 'manual', undefined, true],
		['notInProduction', 'evaluation', undefined, true],
		['notInProduction', 'trigger', undefined, false],
		['notInProduction', 'retry', 'manual', true],
		['notInProduction', 'retry', 'evaluation', true],
		['notInProduction', 'retry', 'trigger', false],
	])('%s in mode %s from %s', (choice, mode, source, expected) => {
		expect(is(choice, mode, source)).toBe(expected);
		expect(is(choice, mode, source, false)).toBe(false);
	});

	test('shows the request that was not made', () => {
		const endpoint = { ...endpoints.sendText, path: '/a/:id' };
		const priced = { ...operation('item'), cost: () => ({ 'chat credits': 2 }) } as Operation;
		expect(simulated(priced, { endpoint, params: { id: '7' }, query: { q: 1 } })).toStrictEqual({
			simulated: true,
			request: { method: 'POST', path: '/a/7', query: { q: 1 } },
			cost: { 'chat credits': 2 },
		});
		const free = operation('item');
		for (const body of [{ a: 1 }, Buffer.from('{"a":1}')]) {
			expect(simulated(free, { endpoint: endpoints.sendText, body })).toStrictEqual({
				simulated: true,
				request: { method: 'POST', path: '/chat/send', body: { a: 1 } },
				cost: {},
			});
		}
		const form = { fields: { configId: 'c' }, file: fakeFile('content', 'a.pdf') };
		expect(simulated(free, { endpoint: endpoints.upload, form })).toStrictEqual({
			simulated: true,
			request: {
				method: 'POST',
				path: '/chat/upload',
				form: { configId: 'c', file: { fileName: 'a.pdf', mimeType: 'application/pdf', size: 7 } },
			},
			cost: {},
		});
	});
});

test('an upload is used again for a day', () => {
	const kept = {};
	const uploads = uploadsIn(kept);
	expect(uploads.get('a')).toBeUndefined();
	const clock = jest.spyOn(Date, 'now').mockReturnValue(1_000);
	uploads.set('a', 'm1');
	expect(kept).toEqual({ a: { mediaId: 'm1', at: 1_000 } });
	const day = 24 * 60 * 60 * 1_000;
	clock.mockReturnValue(1_000 + day - 1);
	expect(uploads.get('a')).toBe('m1');
	clock.mockReturnValue(1_000 + day);
	expect(uploads.get('a')).toBeUndefined();
	clock.mockRestore();
});

describe('the memory of an execution', () => {
	const contextOf = (stored: IDataObject) =>
		({ getContext: () => stored }) as unknown as IExecuteFunctions;
	const unknown = failure('unknown', 'Lost');

	test('knows by place and input what went out or may have', () => {
		const stored: IDataObject = {};
		const memory = new Memory(contextOf(stored), 'run 0');
		memory.rememberAccepted('0', { input: 'i', facts: { a: 1 } }, { id: 1 });
		memory.rememberUnknown('1', { input: 'j', items: '0+1*2' }, unknown, 'content');
		const again = new Memory(contextOf(JSON.parse(JSON.stringify(stored)) as IDataObject), 'run 0');
		for (const one of [memory, again]) {
			expect(one.accepted('0', 'i')).toEqual({ id: 1 });
			expect(one.accepted('0', 'other')).toBeUndefined();
			expect(one.accepted('1', 'j')).toBeUndefined();
			expect(one.accepted('2', 'i')).toBeUndefined();
			expect(one.unknown('1', 'j')).toEqual(unknown);
			expect(one.unknown('1', 'j')).toMatchObject({
				outcome: 'unknown',
				description: 'D',
				statusCode: 500,
				facts: { code: 'C' },
			});
			expect(one.unknown('1', 'i')).toBeUndefined();
			expect(one.unknown('0', 'i')).toBeUndefined();
			expect(one.places()).toMatchObject([
				{ place: '0', input: 'i', facts: { a: 1 }, isUnknown: false },
				{ place: '1', input: 'j', items: '0+1*2', isUnknown: true },
			]);
		}
	});

	test('finds the same content in other runs alone, and makes no print in vain', () => {
		const stored: IDataObject = {};
		const [first, second] = ['a', 'b'].map((name) => new Memory(contextOf(stored), name));
		const print = jest.fn(() => 'content');
		first?.rememberAccepted('0', { input: 'i' }, {});
		expect(second?.unknownElsewhere(print)).toBeUndefined();
		expect(print).not.toHaveBeenCalled();
		first?.rememberUnknown('1', { input: 'i' }, failure('unknown', 'Other'), 'other');
		expect(second?.unknownElsewhere(print)).toBeUndefined();
		first?.rememberUnknown('2', { input: 'i' }, unknown, 'content');
		expect(second?.unknownElsewhere(print)).toEqual(unknown);
		expect(first?.unknownElsewhere(print)).toBeUndefined();
	});

	test('forgets at the end what n8n has, and keeps what is in doubt', () => {
		const stored: IDataObject = {};
		const memory = new Memory(contextOf(stored), 'a');
		const other = new Memory(contextOf(stored), 'b');
		expect(memory.divisions).toEqual([]);
		for (const one of [memory, other]) {
			one.rememberDivision('d1');
			one.rememberDivision('d2');
			one.uploads.set('f', 'm1');
			one.rememberAccepted('0', { input: 'i' }, {});
			one.rememberUnknown('1', { input: 'i' }, unknown, 'content');
		}
		expect(memory.divisions).toEqual(['d1', 'd2']);
		memory.clear();
		expect(memory.places()).toMatchObject([{ place: '1', isUnknown: true }]);
		expect(memory.divisions).toEqual([]);
		expect(new Memory(contextOf(stored), 'a').uploads.get('f')).toBeUndefined();
		expect(other.places()).toHaveLength(2);
		expect(other.divisions).toEqual(['d1', 'd2']);
		expect(new Memory(contextOf(stored), 'b').uploads.get('f')).toBe('m1');
		const done = new Memory(contextOf(stored), 'c');
		done.rememberAccepted('0', { input: 'i' }, {});
		done.clear();
		expect(Object.keys(stored.sends as object)).toEqual(['a', 'b']);
	});
});

describe('what became of a send whose response was lost', () => {
	const start = 1_700_000_000_000;
	const request = { endpoint: endpoints.sendText, body: {} };
	const job = { items: [0], place: '0', plan: { request } };
	const record = (id: string, time = 0) => ({
		id,
		sentAt: new Date(start + time).toISOString(),
	});

	/** Looks into a list with these records; `fits` takes those whose id begins with a. */
	function recovering(records: IDataObject[] | Failure) {
		let reads = 0;
		const call = async () => {
			reads++;
			if (records instanceof Failure) throw records;
			return await Promise.resolve({ messages: records, total: records.length });
		};
		const fits = ({ id }: IDataObject, of: unknown) => of === request && String(id).startsWith('a');
		const recover = recovery(call, { list: lists.messages, fits }, start);
		return { recover, reads: () => reads };
	}
	const description =
		'It may have been carried out and is not repeated by itself. Compare the chat credits of Account > Get Balance with those before sending it again. Chat Message > Get Many may not list such messages, and a record may take a while to appear. To send it again in this execution, turn on the option Resend Unknown.';
	const message =
		'An earlier try of this execution ended while this was being sent: it may have arrived';

	test('is the one record that fits', async () => {
		const { recover, reads } = recovering([record('a1'), record('b1'), record('a0', -1)]);
		expect(await recover.accepted(job)).toEqual({ record: record('a1') });
		expect(await recover.unknown(job)).toMatchObject({
			message,
			description,
			outcome: 'unknown',
			facts: { candidates: [record('a1')] },
		});
		expect(reads()).toBe(1);
	});

	test.each<[string, IDataObject[] | Failure, IDataObject]>([
		['several fit', [record('a1'), record('a2')], { candidates: [record('a1'), record('a2')] }],
		['none fits', [record('b1')], {}],
		['the list cannot be read', failure(), {}],
	])('nobody knows if %s', async (_name, records, facts) => {
		const { recover } = recovering(records);
		expect(await recover.accepted(job)).toEqual({});
		const unknown = await recover.unknown({ ...job, key: 'k' });
		expect(unknown).toMatchObject({
			message:
				'The key "k" is in doubt: another execution may have sent this, or may be sending it',
			description,
			outcome: 'unknown',
		});
		expect(unknown.facts).toEqual({ idempotencyKey: 'k' });
		expect((await recover.unknown(job)).facts).toEqual(facts);
	});

	test('is not looked for without a list or a request', async () => {
		const call = async () => await Promise.reject(new Error('asked'));
		const without = recovery(call, undefined, start);
		expect(await without.accepted(job)).toEqual({});
		const { recover, reads } = recovering([record('a1')]);
		expect(await recover.accepted({ items: [0], place: '0' })).toEqual({});
		expect(await recover.unknown({ items: [0], place: '0' })).toMatchObject({
			message,
			description: '',
			facts: {},
		});
		expect(reads()).toBe(0);
	});
});
