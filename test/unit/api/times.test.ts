import fc from 'fast-check';
import { Settings } from 'luxon';
import { momentOf, timeOf } from '../../../nodes/MessagingService/api/times';

const minute = 60_000;

/** A time and all that ISO 8601 leaves open about how it is written. */
const drawn = fc.record({
	time: fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2090, 0) }),
	offset: fc.constantFrom(...[-12 * 60, -480, -210, 0, 60, 330, 345, 14 * 60]),
	offsetForm: fc.constantFrom('none', 'hours', 'basic', 'extended', 'letter'),
	divider: fc.constantFrom('T', ' ', 't'),
	decimalSign: fc.constantFrom('.', ','),
	decimals: fc.constantFrom(0, 1, 2, 3, 6, 9),
	isBasic: fc.boolean(),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer Form> ? Form : never;

/** The text, made from `toISOString` alone, and what it means. */
function written({ time, offset, offsetForm, divider, decimalSign, decimals, isBasic }: Drawn) {
	const isUtc = offsetForm === 'none' || offsetForm === 'letter';
	const hours = Math.trunc(offset / 60);
	const minutes = offsetForm === 'hours' ? 0 : Math.abs(offset % 60);
	const ahead = isUtc ? 0 : hours * 60 + Math.sign(offset) * minutes;
	const [date = '', clock = ''] = new Date(time + ahead * minute).toISOString().split(/[TZ]/);
	const [seconds = '', milliseconds = ''] = clock.split('.');
	const digits = milliseconds.padEnd(9, '0').slice(0, decimals);
	const sign = offset < 0 ? '-' : '+';
	const zone = {
		...{ none: '', letter: 'Z', hours: '' },
		basic: String(minutes).padStart(2, '0'),
		extended: `:${String(minutes).padStart(2, '0')}`,
	}[offsetForm];
	const text = [
		...[date, divider, seconds, decimals > 0 ? decimalSign : '', digits],
		...[isUtc ? '' : `${sign}${String(Math.abs(hours)).padStart(2, '0')}`, zone],
	];
	const shown = isBasic
		? text.map((part, index) => part.replace(index < 3 ? /[-:]/g : '', ''))
		: text;
	const unit = 10 ** Math.max(0, 3 - decimals);
	const start = Math.floor(time / unit) * unit;
	return {
		text: shown.join(''),
		moment: { time: start, last: start + unit - 1, hasOffset: offsetForm !== 'none' },
	};
}

test('a time is read in every form of ISO 8601, as exactly as it is written', () => {
	fc.assert(
		fc.property(drawn, (form) => {
			// A space between a basic date and time is not ISO 8601.
			const { text, moment } = written({ ...form, isBasic: form.isBasic && form.divider === 'T' });
			expect([text, momentOf(text)]).toEqual([text, moment]);
		}),
		{ numRuns: 2_000 },
	);
});

test.each([
	['2026-11-21T10:00:00+00', '2026-11-21T10:00:00Z'],
	['2026-11-21 10:00:00 -08', '2026-11-21T18:00:00Z'],
	['2026-11-21T10:00:00\u221205:30', '2026-11-21T15:30:00Z'],
	['20261121T154500+0545', '2026-11-21T10:00:00Z'],
	['2026-W47-6T10:00:00.000000Z', '2026-11-21T10:00:00Z'],
	['2026-11-21  10:00:00  -08', '2026-11-21T18:00:00Z'],
])('%s is %s', (text, same) => {
	expect(timeOf(text)).toBe(Date.parse(same));
});

test.each([
	['2026-11-21', 24 * 60 * minute],
	['2026-11-21T10:00Z', minute],
	['2026-W47-6T10Z', 60 * minute],
])('%s lasts %i milliseconds', (text, length) => {
	const { time = 0, last = 0 } = momentOf(text) ?? {};
	expect(last - time + 1).toBe(length);
});

test('without an offset is UTC, whatever the zone of n8n', () => {
	const { defaultZone } = Settings;
	Settings.defaultZone = 'America/New_York';
	const times = ['2026-11-21T10:00', '20261121T1000'].map(timeOf);
	Settings.defaultZone = defaultZone;
	const time = Date.parse('2026-11-21T10:00:00Z');
	expect(times).toEqual([time, time]);
});

test.each([
	...['', 'T100000', '2026-13-01', '2026-11-21T10:00:00+99:99', '2026-11-21T10:00:00x'],
	...[`2026-11-21T10:00:00${' '.repeat(60)}Z`, null, 5],
])('%j is none', (value) => {
	expect(timeOf(value)).toBeNaN();
});
