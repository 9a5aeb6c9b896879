import fc, { type Arbitrary } from 'fast-check';
import { checkChatPhone, checkVoicePhone } from '../../../nodes/MessagingService/parameters/phone';

test.each([
	['', 'is empty'],
	[{ value: 1 }, 'is an object: use one of its fields, e.g. "value"'],
	[true, 'contains "t", which is not a digit'],
	['0049170', 'starts with a zero'],
	['123456', 'needs 7 to 15 digits, but has 6'],
	['*31#+447700900210', 'contains "*"'],
	['447700900210\u0000', 'contains the invisible character U+0000'],
	['447700\u2800900210', '"447700[U+2800]900210" contains the invisible character U+2800'],
	['4477009²', 'contains "²", which is not a digit'],
	// It is bounded before any pattern sees it.
	['9'.repeat(100_000), `"${'9'.repeat(40)}…" has more than 60 characters`],
])('an invalid number is rejected (%#)', (value, problem) => {
	expect(checkChatPhone(value)).toEqual({ problem: expect.stringContaining(problem) as string });
});

describe('numbers that spreadsheets and typing have damaged are rejected, each for its own reason', () => {
	const digits = (min: number, max: number) =>
		fc.stringMatching(new RegExp(`^[1-9][0-9]{${min - 1},${max - 1}}$`));
	const number = digits(7, 15);
	const text = (...parts: Array<Arbitrary<string> | string>) =>
		fc
			.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
			.map((all) => all.join(''));
	const one = (...texts: string[]) => fc.constantFrom(...texts);
	const gap = one(' ', '  ', '-', ', ', ' / ', ';', '\n', ' +', '.');
	const wall = one('\n', '\r\n', ' | ', '\u2028', ' \n+');
	const zero = one('(0)', '( 0 )');
	const [fraction, several] = ['has a decimal fraction', 'contains more than one number'];

	test.each<[string, Arbitrary<unknown>]>([
		[
			'lost digits in a spreadsheet',
			text(one('1', '9'), one('.', ','), digits(1, 6), one('E+', 'e'), '11'),
		],
		['begins with a minus', text(one('-', '\u2212', '\u2013'), number)],
		['begins with a minus', number.map((digits) => -Number(digits))],
		[fraction, text(number, '.', digits(1, 6))],
		[fraction, text('+44', one(' ', '-', ' - ', '.'), number, '.0')],
		[fraction, fc.integer({ min: 1, max: 1e9 }).map((whole) => whole + 0.5)],
		['has a zero in parentheses', text('+', digits(1, 3), ' ', zero, ' ', digits(5, 6))],
		[several, text(number, gap, number)],
		// However short they are.
		[several, text(digits(4, 6), wall, digits(4, 6))],
		['is too large to be exact', fc.integer({ min: 1, max: 99 }).map((times) => times * 2 ** 53)],
	])('%s', (problem, values) => {
		fc.assert(
			fc.property(values, (value) => {
				for (const check of [checkChatPhone, checkVoicePhone]) {
					expect(check(value)).toEqual({ problem: expect.stringContaining(problem) as string });
				}
			}),
		);
	});
});

const codes = ['44', '1'];

test('with country codes, other numbers are rejected, and voice numbers get a plus sign', () => {
	const problem =
		'"7700900210" does not start with a country code that the credential allows (44, 1)';
	expect(checkChatPhone('7700900210', codes)).toEqual({ problem });
	expect(checkVoicePhone('7700900210', codes)).toEqual({ problem });
	expect(checkVoicePhone('44 7700-900210', codes)).toEqual({ phone: '+447700900210' });
	expect(checkChatPhone('+1 (415) 555-0100', codes)).toMatchObject({ phone: '14155550100' });
});

test.each([
	[[], /^[1-9]\d{6,14}$/, /^\+?[1-9]\d{9,14}$/],
	[codes, /^(44|1)\d{5,14}$/, /^\+(44|1)\d{8,14}$/],
])('whatever goes in, only numbers come out, with one of the codes %j', (allowed, chat, voice) => {
	const entered = fc.oneof(fc.string(), fc.stringMatching(/^[+ 0-9().-]{5,20}$/), fc.anything());
	fc.assert(
		fc.property(entered, (value) => {
			for (const [check, wanted] of [
				[checkChatPhone, chat],
				[checkVoicePhone, voice],
			] as const) {
				const result = check(value, allowed);
				if ('phone' in result) expect(result.phone).toMatch(wanted);
				else expect(result.problem).not.toBe('');
			}
		}),
	);
});

test('voice numbers have 10 to 15 digits and get no plus sign without a country code', () => {
	expect(checkVoicePhone(' 7700 900210 ')).toEqual({ phone: '7700900210' });
	// The service would choose the country.
	const national =
		'"07700 900210" starts with a zero: start with the country code, without 0 or 00';
	expect(checkVoicePhone('07700 900210')).toEqual({ problem: national });
	expect(checkVoicePhone('+44 (7700) 900-210')).toEqual({ phone: '+447700900210' });
	for (const [value, count] of [
		['770090021', 9],
		['7700 900210 7700 900211', 20],
		['9'.repeat(16), 16],
	] as const) {
		const problem = `"${value}" needs 10 to 15 digits, but has ${count}`;
		expect(checkVoicePhone(value)).toEqual({ problem });
		expect(checkVoicePhone(value, ['7', '9'])).toEqual({ problem });
	}
});
