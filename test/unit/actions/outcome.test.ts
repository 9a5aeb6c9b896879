import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	deliveriesOf,
	type OutcomeRow,
} from '../../../nodes/MessagingService/actions/bulkCampaign/getOutcome.operation';

/** Milliseconds that a record may be older than its row. */
const slack = 60_000;

/** Few numbers and times, so that they meet. */
const phone = fc.constantFrom('447700900210', '447700900211', '14155550100');
const time = fc.integer({ min: 3, max: 8 }).map((steps) => (steps * slack) / 2);

const rows = fc.array(
	fc.record({ phone: fc.option(phone, { nil: undefined, freq: 8 }), created: time }),
	{ maxLength: 8 },
);

const records: fc.Arbitrary<IDataObject[]> = fc
	.array(
		fc.record(
			{
				to: phone.chain((to) => fc.constantFrom(to, `+${to}`, Number(to))),
				sentAt: fc.oneof(
					{ weight: 8, arbitrary: time.map((at) => new Date(at).toISOString()) },
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
	return isTo(record, row.phone) && (Number.isNaN(sent) || sent >= row.created - slack);
}

test('every row gets what the definition says', () => {
	fc.assert(
		fc.property(rows, records, (drawn, list) => {
			const expected = drawn.map((row) => {
				const fitting = list.filter((record) => fits(record, row));
				const [record] = fitting;
				if (!record) return { status: 'notListed', record: null };
				const isOnly =
					fitting.length === 1 &&
					Date.parse(String(record.sentAt)) >= row.created &&
					drawn.filter((other) => fits(record, other)).length === 1;
				return isOnly ? { status: record.status, record } : { status: 'ambiguous', record: null };
			});
			expect(deliveriesOf(drawn, list)).toEqual(expected);
		}),
		{ numRuns: 2_000 },
	);
});
