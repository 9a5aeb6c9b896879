import fc from 'fast-check';
import { type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import { withStatus } from '../../../nodes/MessagingService/actions/chatMessage/waitForStatus';
import { sendMedia } from '../../../nodes/MessagingService/actions/chatMessage/sendMedia.operation';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { Failure, InputFailure } from '../../../nodes/MessagingService/api/failure';
import { lists } from '../../../nodes/MessagingService/api/lists';
import { inputFailureOr } from '../../../nodes/MessagingService/parameters/read';
import type { Operation } from '../../../nodes/MessagingService/operation';
import { recovery } from '../../../nodes/MessagingService/sending/earlier';
import { readRows, writeRows } from '../../../nodes/MessagingService/sending/plan';
import {
	readSettings,
	isSimulated,
	simulated,
} from '../../../nodes/MessagingService/sending/settings';
import { fakeFile, fakeRead, fakeReader } from '../../support/unit/fakeRead';

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
		expect(writeRows(rows)).toBe(text);
		expect(readRows(text)).toEqual(rows);
	});

	test('any rows come back', () => {
		fc.assert(
			fc.property(fc.uniqueArray(fc.nat(30), { maxLength: 20 }), (drawn) => {
				const rows = drawn.sort((a, b) => a - b);
				expect(readRows(writeRows(rows))).toEqual(rows);
			}),
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
		const message = `X${'x'.repeat(499)} (item 3)`;
		for (const [error, expected] of [
			[new Error('bad [item 2]'), { message: 'Bad (item 3)', description: preset }],
			[new Error('x'.repeat(501)), { message, description: preset }],
			[
				{ message: 'bad', description: 'Do this.' },
				{ message: 'Bad (item 3)', description: 'Do this.' },
			],
			['text', { message: 'Text (item 3)', description: preset }],
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
		const read = fakeReader(fakeRead(fields, { options }));
		for (const billable of [true, false]) {
			const one = { ...operation('item', billable), fields } as Operation;
			expect(readSettings(one, read)).toEqual({
				...pace,
				timeout: 5,
				maxSends: Infinity,
				price: undefined,
				resendUnknown: billable,
			});
		}
	});

	test('are numbers that make sense', () => {
		const fields = fieldsOf(batching, ...common);
		const settingsOf = (batch: object, timeout: unknown = 1) =>
			readSettings(
				{ ...operation('item', false), fields } as Operation,
				fakeReader(fakeRead(fields, { options: { timeout, batching: { batch } } })),
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
		return isSimulated(context, operation('item', billable), read.has, read);
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

	test.each([
		['integrated', undefined],
		['trigger', 'integrated'],
	])('is not left to n8n in a sub-workflow (%s, %s)', (mode, source) => {
		expect(() => is('notInProduction', mode, source)).toThrow(InputFailure);
		expect(is('always', mode, source)).toBe(true);
		expect(is('never', mode, source)).toBe(false);
	});

	test('shows the request that was not made', () => {
		const endpoint = { ...endpoints.sendText, path: '/a/:id' };
		const priced = { ...operation('item'), cost: () => ({ 'chat credits': 2 }) } as Operation;
		expect(
			simulated(priced, { request: { endpoint, params: { id: '7' }, query: { q: 1 } } }),
		).toStrictEqual({
			simulated: true,
			request: { method: 'POST', path: '/a/7', query: { q: 1 } },
			cost: { 'chat credits': 2 },
		});
		const free = operation('item');
		for (const body of [{ a: 1 }, Buffer.from('{"a":1}')]) {
			expect(simulated(free, { request: { endpoint: endpoints.sendText, body } })).toStrictEqual({
				simulated: true,
				request: { method: 'POST', path: '/chat/send', body: { a: 1 } },
				cost: {},
			});
		}
		const form = { fields: { configId: 'c' }, file: fakeFile('content', 'a.pdf') };
		expect(simulated(free, { request: { endpoint: endpoints.upload, form } })).toStrictEqual({
			simulated: true,
			request: {
				method: 'POST',
				path: '/chat/upload',
				form: { configId: 'c', file: { fileName: 'a.pdf', mimeType: 'application/pdf', size: 7 } },
			},
			cost: {},
		});
	});

	test('shows the first recipients of a campaign', () => {
		const shownOf = (count: number) => {
			const body = Buffer.from(
				JSON.stringify({ language: 'en', recipients: [...'abcde'].slice(0, count) }),
			);
			const request = { endpoint: endpoints.sendBulk, body };
			return simulated(operation('joined'), { request, rows: new Uint32Array(count) });
		};
		expect(shownOf(4)).toMatchObject({ request: { body: { recipients: ['a', 'b', 'c', 'd'] } } });
		expect(shownOf(5)).toMatchObject({
			total: 5,
			request: { body: { language: 'en', recipients: ['a', 'b', 'c', '(2 more)'] } },
		});
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

	/** Looks into a list with these records; those whose id begins with a are of its recipient. */
	function recovering(listed: IDataObject[] | Failure) {
		let reads = 0;
		const call = async () => {
			reads++;
			if (listed instanceof Failure) throw listed;
			return await Promise.resolve({ messages: listed, total: listed.length });
		};
		const recipientIn = ({ id }: IDataObject) => String(id).charAt(0);
		const recipientOf = (of: unknown) => (of === request ? 'a' : '');
		const records = { list: lists.messages, recipientIn, recipientOf };
		const recover = recovery(call, records, start);
		return { recover, reads: () => reads };
	}
	const description =
		'It may have been carried out and is not repeated by itself. Compare the chat credits of Account > Get Balance with those before sending it again. Chat Message > Get Many may not list such messages, and a record may take a while to appear. Where the execution has failed, Retry with the currently saved workflow sends it again once Send Again If Unsure is added and saved.';
	const message =
		'An earlier try of this execution ended while this was being sent: it may have arrived';

	test('says how what was waited for has gone on', async () => {
		const waiting = (status: string) => ({
			...job,
			plan: withStatus(
				fakeRead(sendMedia.fields, { options: { waitForStatus: status } }),
				job.plan,
			),
		});
		const seen = { ...record('a1'), status: 'Delivered' };
		const { recover } = recovering([seen]);
		const known = { alreadySent: true, record: seen, status: 'Delivered', messageRecord: seen };
		expect(await recover.accepted(waiting('Delivered'))).toEqual({ ...known, ended: true });
		const waitStopped = 'n8n was cut off while this was waited for.';
		const open = { ended: false, waitStopped };
		expect(await recover.accepted(waiting('Read'))).toEqual({ ...known, ...open });
		expect(await recovering([]).recover.accepted(waiting('Read'))).toEqual({
			...{ alreadySent: true, status: null, messageRecord: null },
			...open,
		});
	});

	test('is the one record that fits', async () => {
		const { recover, reads } = recovering([record('a1'), record('b1'), record('a0', -1)]);
		expect(await recover.accepted(job)).toEqual({ alreadySent: true, record: record('a1') });
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
		['none fits', [record('b1')], { candidates: [] }],
		['the list cannot be read', failure(), { candidates: [] }],
	])('nobody knows if %s', async (_name, records, facts) => {
		const { recover } = recovering(records);
		expect(await recover.accepted(job)).toEqual({ alreadySent: true });
		const unknown = await recover.unknown({ ...job, key: 'k' });
		expect(unknown).toMatchObject({
			message: 'The key "k" is in doubt: an earlier try or another execution may have sent this',
			description,
			outcome: 'unknown',
		});
		expect(unknown.facts).toEqual({ idempotencyKey: 'k', ...facts });
		expect((await recover.unknown(job)).facts).toEqual(facts);
	});

	test('is not looked for without a list or a request', async () => {
		const call = async () => await Promise.reject(new Error('asked'));
		const without = recovery(call, undefined, start);
		expect(await without.accepted(job)).toEqual({ alreadySent: true });
		const { recover, reads } = recovering([record('a1')]);
		expect(await recover.accepted({ items: [0], place: '0' })).toEqual({ alreadySent: true });
		expect(await recover.unknown({ items: [0], place: '0' })).toMatchObject({
			message,
			description: '',
			facts: { candidates: [] },
		});
		expect(reads()).toBe(0);
	});
});
