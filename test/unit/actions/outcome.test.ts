import fc from 'fast-check';
import { range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import {
	deliveriesOf,
	type OutcomeRow,
} from '../../../nodes/MessagingService/actions/bulkCampaign/getOutcome.operation';

const start = Date.parse('2026-03-10T10:00:00Z');
const hour = 3_600_000;

/** Few numbers and times, so that they meet. */
const phone = fc.constantFrom('447700900210', '447700900211');
const seconds = fc.constantFrom(0, 0.3, 0.8, 1, 1.3, 45, 3_599, 3_601, 5 * 3_600, 15 * 3_600);

const rows = fc.array(
	fc.record({
		phone: fc.option(phone, { nil: undefined, freq: 8 }),
		created: fc.constantFrom(0, 0.5, 0.8, 3_600).map((time) => start + time * 1_000),
	}),
	{ maxLength: 6 },
);

const forms: Record<string, (iso: string) => string> = {
	milliseconds: (iso) => iso,
	wholeSeconds: (iso) => iso.replace(/\.\d+/, ''),
	shortOffset: (iso) => iso.replace('Z', '+00'),
	noZone: (iso) => iso.replace('Z', ''),
};

const records = fc.array(
	fc.record({
		to: phone.chain((to) => fc.constantFrom(to, `+${to}`, Number(to))),
		time: fc
			.tuple(fc.constantFrom(1, 1, -1), seconds)
			.map(([sign, by]) => start + sign * by * 1_000),
		form: fc.constantFrom(...Object.keys(forms), 'none'),
		status: fc.constantFrom('Sent', 'delivered', 'READ', 'Failed'),
	}),
	{ maxLength: 5 },
);

const written = ({ to, time, form, status }: IDataObject, id: number): IDataObject => ({
	...{ id, to, status },
	sentAt: forms[String(form)]?.(new Date(Number(time)).toISOString()) ?? null,
});

test.each([0, 60_000])('every row gets what the definition says (tolerance %i)', (tolerance) => {
	fc.assert(
		fc.property(rows, records, (drawn, list) => {
			/** The record of a row, if the row were alone: its index, or a status. */
			const alone = (row: OutcomeRow, place: number) => {
				const own = range(list.length)
					.map((index) => ({ index, ...(list[index] as (typeof list)[number]) }))
					.filter(({ to }) => String(to).replace('+', '') === row.phone)
					.map(({ index, time, form }) => {
						const unit = form === 'wholeSeconds' ? 1_000 : 1;
						const shown = Math.floor(time / unit) * unit;
						return { index, form, shown, end: shown + unit, after: shown - row.created };
					});
				if (own.some(({ form }) => form === 'none')) return 'ambiguous';
				const isBefore = ({ end }: { end: number }, moment: number) => end <= moment;
				if (
					own.some((one) => isBefore(one, row.created) && !isBefore(one, row.created - tolerance))
				)
					return 'ambiguous';
				const sure = own
					.filter((one) => !isBefore(one, row.created))
					.filter(({ form, after }) => form !== 'noZone' || after < hour || after > 14 * hour)
					.sort((a, b) => a.shown - b.shown);
				const isHidden = ({ form, end }: { form: string; end: number }) =>
					end > row.created - (form === 'noZone' ? 14 * hour : 0);
				if (sure.length === 0) return own.some(isHidden) ? 'ambiguous' : 'notListed';
				const [before, mine, next] = [sure[place - 1], sure[place], sure[place + 1]];
				if (!mine) return 'notListed';
				const isTied = before?.shown === mine.shown || next?.shown === mine.shown;
				return isTied ? 'ambiguous' : mine.index;
			};
			const found = drawn.map((row, index) =>
				alone(
					row,
					drawn
						.slice(0, index)
						.filter((one) => one.phone === row.phone && one.created === row.created).length,
				),
			);
			const expected = found.map((one) => {
				if (typeof one === 'string') return { status: one, record: null };
				if (found.filter((other) => other === one).length > 1)
					return { status: 'ambiguous', record: null };
				const status = ['Sent', 'Delivered', 'Read', 'Failed'].find(
					(name) => name.toLowerCase() === list[one]?.status.toLowerCase(),
				);
				return { status, record: written(list[one] as IDataObject, one) };
			});
			expect(deliveriesOf(drawn, list.map(written), tolerance)).toMatchObject(expected);
		}),
		{ numRuns: 3_000 },
	);
});

const rowAt = (created: string): OutcomeRow => ({ phone: '1', created: Date.parse(created) });
const recordAt = (sentAt: string | null, status = 'Read') => ({
	id: sentAt,
	to: '1',
	status,
	sentAt,
});

test.each<[string, OutcomeRow[], IDataObject[], Array<string | null>]>([
	[
		'the same list twice within a minute',
		[rowAt('2026-03-10T10:00:30.200Z')],
		[recordAt('2026-03-10T10:00:02.100Z'), recordAt('2026-03-10T10:00:30.900Z')],
		['2026-03-10T10:00:30.900Z'],
	],
	[
		'a number twice in a campaign',
		[rowAt('2026-03-10T10:00:00Z'), rowAt('2026-03-10T10:00:00Z')],
		[recordAt('2026-03-10T10:00:02Z'), recordAt('2026-03-10T10:00:01Z')],
		['2026-03-10T10:00:01Z', '2026-03-10T10:00:02Z'],
	],
	[
		'a message that failed and was never sent',
		[rowAt('2026-03-10T10:00:00.500Z')],
		[{ id: 'f', to: '1', status: 'Failed', sentAt: null, updatedAt: '2026-03-10T10:00:00Z' }],
		['f'],
	],
])('%s', (_what, drawn, list, ids) => {
	expect(deliveriesOf(drawn, list, 0).map(({ record }) => record?.id)).toEqual(ids);
});

test.each<[reason: RegExp, list: IDataObject[], tolerance: number]>([
	[/cannot be read/, [recordAt(null)], 0],
	[/clock is unknown/, [recordAt('2026-03-10T09:59:30Z')], 60_000],
	[/has no time zone/, [recordAt('2026-03-10T15:30:01')], 0],
	[/the same time/, [recordAt('2026-03-10T10:00:01Z'), recordAt('2026-03-10T10:00:01Z')], 0],
	[/no status/, [recordAt('2026-03-10T10:00:01Z', '')], 0],
])('what is ambiguous says %s', (reason, list, tolerance) => {
	const [delivery] = deliveriesOf([rowAt('2026-03-10T10:00:00Z')], list, tolerance);
	expect(delivery).toMatchObject({ status: 'ambiguous', record: null });
	expect(delivery?.unclear).toMatch(reason);
});
