import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { executeContext } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const path = '/chat/campaigns';

/** Times are milliseconds after this one, which is long enough ago for all of them to be past. */
const base = Math.floor((Date.now() - 6 * 3_600_000) / 1_000) * 1_000;
const at = (ms: number) => new Date(base + ms).toISOString();

/** How far a record can be from the time of a row and still be of the minute before. */
const minute = 60_000;

const numbers = ['919876543210', '919876543211', '14155550100'];
const nobody = [undefined, null, '', 'none', '0123', 12, '+91 98765 43210 / 43211'];

interface Row {
	/** As a sheet may have it. */
	phone: IDataObject[string];
	/** Digits; undefined for what is no number. */
	digits?: string;
	createdAt: number;
}

const row: fc.Arbitrary<Row> = fc
	.record({
		digits: fc.constantFrom(...numbers),
		write: fc.constantFrom(
			(digits: string) => digits,
			(digits: string) => `+${digits}`,
			(digits: string) => `+${digits.slice(0, 2)} (${digits.slice(2, 7)}) ${digits.slice(7)}`,
			Number,
		),
		createdAt: fc.constantFrom(0, 0, 0, 1, 30_000, 90_000),
	})
	.map(({ write, ...one }) => ({ ...one, phone: write(one.digits) }));

const noRow: fc.Arbitrary<Row> = fc.record({
	phone: fc.constantFrom(...nobody),
	createdAt: fc.constant(0),
});

const someRows = fc.array(fc.oneof({ weight: 6, arbitrary: row }, noRow), {
	minLength: 1,
	maxLength: 7,
});

const offset = fc.constantFrom(
	-7_200_000,
	...[-1, 0, 1].map((ms) => ms - minute),
	...[-1, 0, 1, 29_999, 30_000, 90_000, 7_200_000],
);

const status = fc.constantFrom('Sent', 'Delivered', 'Read', 'Failed');

interface Listed {
	to: string;
	time: number;
	status: string;
	/** Messages to somebody else that come with it. */
	others: number;
}

const someRecords = fc.array(
	fc.record({
		to: fc.constantFrom(...numbers),
		time: offset,
		status,
		others: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat({ max: 130 })),
	}),
	{ maxLength: 7 },
);

const assumptions = fc.record({
	listOrder: fc.constantFrom<'newestFirst' | 'oldestFirst' | 'byId'>(
		'newestFirst',
		'oldestFirst',
		'byId',
	),
	chatNumbers: fc.constantFrom<'digits' | 'plus'>('digits', 'plus'),
	timestamps: fc.constantFrom<'utc' | 'offset' | 'seconds'>('utc', 'offset', 'seconds'),
});

/** A record that is listed, as the contract sees it. */
interface Seen {
	to: string;
	/** Undefined where it cannot be read. */
	time?: number;
	status: unknown;
	id: unknown;
}

/** What the contract says of each row (docs/contract.md, section 3). */
function expected(rows: Row[], seen: Seen[]): Array<{ status: unknown; id?: unknown }> {
	const mayBeOf = ({ to, time }: Seen, { digits, createdAt }: Row) =>
		to === digits && (time === undefined || time >= createdAt - minute);
	return rows.map((one) => {
		const fitting = seen.filter((record) => mayBeOf(record, one));
		const [record] = fitting;
		if (!record) return { status: 'notListed' };
		const isIts =
			fitting.length === 1 &&
			record.time !== undefined &&
			record.time >= one.createdAt &&
			rows.filter((other) => mayBeOf(record, other)).length === 1;
		return isIts ? { status: record.status, id: record.id } : { status: 'ambiguous' };
	});
}

const getOutcome: INodeParameters = {
	resource: 'bulkCampaign',
	operation: 'getOutcome',
	phoneField: 'phone',
	sentAfter: '={{ $json.createdAt }}',
};

/** Runs Get Outcome for these rows, also where it fails. */
async function outcome(rows: Row[]) {
	// A column that is empty everywhere is a mistake in its name.
	const all = [...rows, { phone: 'nobody', createdAt: 0 }];
	const items = all.map(({ phone, createdAt }, index) => ({
		json: { index, ...(phone === undefined ? {} : { phone }), createdAt: at(createdAt) },
	}));
	const context = executeContext({
		credential: sandbox.credential(),
		parameters: getOutcome,
		items,
		node: { onError: 'continueRegularOutput' },
	});
	const [output = []] = (await new MessagingService().execute.call(context)) as Array<
		Array<{ json: IDataObject; pairedItem: unknown }>
	>;
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	return { items, output: output.map(({ json }) => json), hints: context.hints };
}

/** Holds what came out against the contract. */
async function expectOutcome(rows: Row[], seen: Seen[]): Promise<void> {
	const { items, output, hints } = await outcome(rows);
	const given = output.map(({ delivery, ...fields }, index) => {
		expect(fields).toEqual(items[index]?.json);
		const { status: said, record } = delivery as { status: unknown; record: IDataObject | null };
		return { status: said, ...(record ? { id: record.id } : {}) };
	});
	expect(given).toEqual([...expected(rows, seen), { status: 'notListed' }]);
	const totals = /^(\d+) rows: (.+)$/.exec(hints[0]?.message ?? '');
	expect(totals?.[1]).toBe(String(items.length));
	for (const total of totals?.[2]?.split(', ') ?? []) {
		const [count, name] = total.split(' ');
		expect(given.filter((one) => one.status === name)).toHaveLength(Number(count));
	}
}

test('no row is given a record that may be that of another message', async () => {
	const drawn = fc.tuple(someRows, someRecords, assumptions);
	await fc.assert(
		fc.asyncProperty(drawn, async ([rows, records, assumed]) => {
			await sandbox.control.reset();
			await sandbox.control.setAssumptions(assumed);
			const isWhole = assumed.timestamps === 'seconds';
			const seen: Seen[] = [];
			for (const { others, ...one } of [...records].sort((a, b) => a.time - b.time)) {
				const sentAt = at(one.time);
				await sandbox.control.addMessages(others, { to: '447700900000', sentAt, everyMs: 0 });
				const [id] = await sandbox.control.addMessages(1, { ...drawnFor(one), sentAt });
				const time = isWhole ? Math.floor(one.time / 1_000) * 1_000 : one.time;
				seen.push({ ...one, time, id });
			}
			await expectOutcome(rows, seen);
		}),
		{ numRuns: 60 },
	);
});

const drawnFor = ({ to, status: said }: Omit<Listed, 'others'>) =>
	({ to, status: said as 'Sent' }) as const;

test('a record without a time that can be read, or told twice, decides nothing', async () => {
	const odd = fc.record({
		to: fc.constantFrom(...numbers),
		time: fc.option(offset, { nil: undefined, freq: 3 }),
		status,
		isTwice: fc.boolean(),
		providerMessageId: fc.constantFrom(undefined, '', 'pm.1'),
		form: fc.constantFrom(String, (to: string) => `+${to}`, Number),
	});
	await fc.assert(
		fc.asyncProperty(someRows, fc.array(odd, { maxLength: 7 }), async (rows, records) => {
			await sandbox.control.clearFaults();
			const messages = records.flatMap(({ time, isTwice, form, to, ...record }, id) => {
				const sentAt = time === undefined ? 'a while ago' : at(time);
				const one = { id: String(id), to: form(to), sentAt, ...record };
				return isTwice ? [one, one] : [one];
			});
			const body = { success: true, total: messages.length, limit: 100, offset: 0, messages };
			await sandbox.control.addFault({
				kind: 'status',
				path,
				status: 200,
				body,
				count: 'infinite',
			});
			const seen = records.map(({ to, time, status: said }, id) => {
				return { to, time, status: said, id: String(id) };
			});
			await expectOutcome(rows, seen);
		}),
		{ numRuns: 60 },
	);
});

test('of a list that fails on any page nothing comes out', async () => {
	await fc.assert(
		fc.asyncProperty(someRows, fc.nat({ max: 350 }), fc.nat({ max: 4 }), async (rows, n, skip) => {
			await sandbox.control.reset();
			await sandbox.control.addMessages(n, { to: '447700900000', sentAt: at(1), everyMs: 1 });
			for (const to of numbers) await sandbox.control.addMessages(1, { to, sentAt: at(400) });
			const fault = { kind: 'status', path, status: 500, body: { error: 'Out of order' } } as const;
			await sandbox.control.addFault({ ...fault, skip, count: 'infinite' });
			const { output } = await outcome(rows);
			const pages = await sandbox.requests(path);
			const said = pages.length > skip ? 'Out of order' : undefined;
			expect(output.map(({ error }) => error)).toEqual(output.map(() => said));
			expect(
				output.every(({ delivery }) => (delivery === undefined) === (said !== undefined)),
			).toBe(true);
		}),
		{ numRuns: 30 },
	);
});

test.each<[INodeParameters, RegExp]>([
	[{ phoneField: 'telephone' }, /^No field telephone; the rows have phone/],
	[{ sentAfter: '' }, /^Sent After is empty/],
	[{ sentAfter: 'soon' }, /^Sent After is not a date/],
	[{ sentAfter: '={{ $json.other }}' }, /^Sent After has an expression that gives nothing/],
])('refuses %j before it asks', async (parameters, message) => {
	const items = [{ json: { phone: '919876543210' } }];
	const { message: told } = await sandbox.failure({ ...getOutcome, ...parameters }, { items });
	expect(told).toMatch(message);
	expect(await sandbox.requests()).toEqual([]);
});
