import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	deliveriesOf,
	type OutcomeRow,
} from '../../../nodes/MessagingService/actions/bulkCampaign/getOutcome.operation';

/** Few numbers and times, so that they meet. */
const phone = fc.constantFrom('919876543210', '919876543211', '14155550100');
const time = fc.integer({ min: 1, max: 6 });
const at = (seconds: number) => new Date(seconds * 1_000).toISOString();

const rows = fc.array(
	fc
		.record({
			phone: fc.option(phone, { nil: undefined, freq: 8 }),
			since: time.map((seconds) => seconds * 1_000),
			slack: fc.constantFrom(0, 1_000),
		})
		.map(({ slack, ...row }) => ({ ...row, created: row.since + slack })),
	{ maxLength: 8 },
);

const records: fc.Arbitrary<IDataObject[]> = fc
	.array(
		fc.record(
			{
				to: phone.chain((to) => fc.constantFrom(to, `+${to}`, Number(to))),
				sentAt: fc.oneof(
					{ weight: 8, arbitrary: time.map(at) },
					fc.constantFrom<unknown>('yesterday', '', null),
				),
				status: fc.constantFrom('Sent', 'Delivered', 'Read', 'Failed'),
			},
			{ requiredKeys: ['to', 'status'] },
		),
		{ maxLength: 8 },
	)
	.map((all) => all.map((record, id) => ({ id, ...record }) as IDataObject));

const isTo = ({ to }: IDataObject, number?: string) =>
	number !== undefined && String(to).replace('+', '') === number;

/** Whether a record may be that of a row: by the definition, and without any cleverness. */
function fits(record: IDataObject, row: OutcomeRow): boolean {
	const sent = Date.parse(String(record.sentAt));
	return isTo(record, row.phone) && (Number.isNaN(sent) || sent >= row.since);
}

const isDated = ({ sentAt }: IDataObject) => !Number.isNaN(Date.parse(String(sentAt)));

test('every row gets what the definition says', () => {
	fc.assert(
		fc.property(rows, records, (drawn, list) => {
			const expected = drawn.map((row) => {
				const fitting = list.filter((record) => fits(record, row));
				const [record] = fitting;
				if (!record) return { status: 'notListed', record: null };
				const isOnly =
					fitting.length === 1 &&
					isDated(record) &&
					Date.parse(String(record.sentAt)) >= row.created &&
					drawn.filter((other) => fits(record, other)).length === 1;
				return isOnly ? { status: record.status, record } : { status: 'ambiguous', record: null };
			});
			expect(deliveriesOf(drawn, list)).toEqual(expected);
		}),
		{ numRuns: 2_000 },
	);
});

test('neither the order of the records nor that of the rows matters', () => {
	const shuffled = rows.chain((drawn) =>
		fc.tuple(
			fc.constant(drawn),
			fc.shuffledSubarray([...drawn.keys()], { minLength: drawn.length }),
			records.chain((list) =>
				fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
			),
		),
	);
	fc.assert(
		fc.property(shuffled, ([drawn, order, [list, other]]) => {
			const plain = deliveriesOf(drawn, list);
			const mixed = deliveriesOf(
				order.map((index) => drawn[index] as OutcomeRow),
				other,
			);
			expect(mixed).toEqual(order.map((index) => plain[index]));
		}),
	);
});
