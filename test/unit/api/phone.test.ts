import fc, { type Arbitrary } from 'fast-check';
import { checkChatPhone, checkVoicePhone } from '../../../nodes/MessagingService/parameters/phone';

test.each([
	['+44 (7700) 900.210', '447700900210'],
	[447700900210, '447700900210'],
	['1234567', '1234567'],
	['4477009.002.10', '447700900210'],
	['44\u00a07700\u2013900210', '447700900210'],
	['44\u22127700\u2212900210', '447700900210'],
	['+٤٤ ７７００ ९००२१०', '447700900210'],
])('%j becomes %s', (value, phone) => {
	expect(checkChatPhone(value)).toEqual({ phone });
});

test.each([
	['', 'is empty'],
	['+ -', 'is empty'],
	[null, 'is empty'],
	[{}, 'is not text'],
	[true, 'is not text'],
	['0049170', 'starts with a zero'],
	['123456', 'has 6 digits: 7 to 15 are needed'],
	['1234567890123456', 'has 16 digits'],
	['44770090021a', 'contains "a"'],
	['447700900210\u0000', 'contains the invisible character U+0000'],
	['447700\u200e900210', '"447700[U+200E]900210" contains the invisible character U+200E'],
	['4477009²', 'contains "²", which is not a digit'],
])('%j is refused', (value, problem) => {
	expect(checkChatPhone(value)).toEqual({ problem: expect.stringContaining(problem) as string });
});

test('a number is bounded before any pattern sees it', () => {
	const problem = `"${'9'.repeat(40)}…" has more than 60 characters`;
	expect(checkChatPhone('9'.repeat(100_000))).toEqual({ problem });
});

describe('what spreadsheets and careless hands make of numbers is refused with a reason of its own', () => {
	const digits = (min: number, max: number) =>
		fc
			.tuple(
				fc.integer({ min: 1, max: 9 }),
				fc.array(fc.nat(9), { minLength: min - 1, maxLength: max - 1 }),
			)
			.map(([first, others]) => [first, ...others].join(''));
	const number = digits(7, 15);
	const dash = fc.constantFrom('-', '\u2212', '\u2013');
	const gapBehindCode = fc.constantFrom(' ', '-', ' - ', '.');
	const gap = fc.constantFrom(' ', '  ', '-', ', ', ' / ', ';', '\n', ' +', '.');
	const wall = fc.constantFrom('\n', '\r\n', ' | ', '\u2028', ' \n+');

	test.each<[string, Arbitrary<unknown>]>([
		[
			'lost digits in a spreadsheet',
			fc
				.tuple(fc.nat(9), fc.constantFrom('.', ','), digits(1, 6), fc.constantFrom('E+', 'e', 'E'))
				.map(([first, point, others, e]) => `${first}${point}${others}${e}11`),
		],
		['begins with a minus', fc.tuple(dash, number).map(([minus, text]) => `${minus}${text}`)],
		['begins with a minus', number.filter((text) => text.length < 16).map((text) => -Number(text))],
		['has a decimal fraction', fc.tuple(number, digits(1, 6)).map((parts) => parts.join('.'))],
		['has a decimal fraction', number.map((text) => `+${text}.0`)],
		[
			'has a decimal fraction',
			fc.tuple(gapBehindCode, number).map(([gap, text]) => `+44${gap}${text}.0`),
		],
		['has a decimal fraction', fc.integer({ min: 1, max: 1e9 }).map((whole) => whole + 0.5)],
		[
			'has a zero in parentheses',
			fc
				.tuple(digits(1, 3), fc.constantFrom('(0)', '( 0 )', '(020)'), digits(5, 6))
				.map(([code, zero, text]) => `+${code} ${zero} ${text}`),
		],
		['contains more than one number', fc.tuple(number, gap, number).map((all) => all.join(''))],
		// However short they are.
		[
			'contains more than one number',
			fc.tuple(digits(4, 6), wall, digits(4, 6)).map((all) => all.join('')),
		],
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

describe('allowed country codes', () => {
	const codes = ['44', '1'];

	test('a number that begins otherwise is refused', () => {
		for (const check of [checkChatPhone, checkVoicePhone]) {
			expect(check('7700900210', codes)).toEqual({
				problem:
					'"7700900210" does not start with a country code that the credential allows (44, 1): add the country code',
			});
		}
	});

	test('a voice number that begins with one is handed on with a plus sign', () => {
		expect(checkVoicePhone('44 7700-900210', codes)).toEqual({ phone: '+447700900210' });
		expect(checkChatPhone('+1 (415) 555-0100', codes)).toEqual({ phone: '14155550100' });
	});

	test('whatever comes out begins with one of them', () => {
		fc.assert(
			fc.property(fc.stringMatching(/^[+ 0-9().-]{7,20}$/), (value) => {
				const [chat, voice] = [checkChatPhone(value, codes), checkVoicePhone(value, codes)];
				if ('phone' in chat) expect(chat.phone).toMatch(/^(44|1)/);
				if ('phone' in voice) expect(voice.phone).toMatch(/^\+(44|1)\d{8,14}$/);
			}),
		);
	});
});

test('whatever goes in, only 7 to 15 digits without a leading zero come out', () => {
	fc.assert(
		fc.property(
			fc.oneof(fc.string(), fc.stringMatching(/^[+ 0-9().-]{5,20}$/), fc.anything()),
			(value) => {
				const result = checkChatPhone(value);
				if ('phone' in result) expect(result.phone).toMatch(/^[1-9][0-9]{6,14}$/);
				else expect(result.problem).not.toBe('');
			},
		),
	);
});

test('voice numbers have 10 to 15 digits and get no plus sign without a country code', () => {
	expect(checkVoicePhone(' 07700 900210 ')).toEqual({ phone: '07700900210' });
	expect(checkVoicePhone('+44 (7700) 900-210')).toEqual({ phone: '+447700900210' });
	for (const [value, count] of [
		['770090021', 9],
		['07700 900210 07700 900211', 22],
		['9'.repeat(16), 16],
	] as const) {
		const problem = `"${value}" has ${count} digits: 10 to 15 are needed`;
		expect(checkVoicePhone(value)).toEqual({ problem });
		expect(checkVoicePhone(value, ['0', '7', '9'])).toEqual({ problem });
	}
});
