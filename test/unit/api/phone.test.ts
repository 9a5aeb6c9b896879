import fc from 'fast-check';
import { checkChatPhone, checkVoicePhone } from '../../../nodes/MessagingService/parameters/phone';

test.each([
	['+91 (98765) 432.10', '919876543210'],
	[919876543210, '919876543210'],
	['1234567', '1234567'],
	['91\u00a098765\u201343210', '919876543210'],
])('%j becomes %s', (value, phone) => {
	expect(checkChatPhone(value)).toEqual({ phone });
});

test.each([
	['', 'is empty'],
	['+ -', 'is empty'],
	[null, 'is empty'],
	[{}, 'is empty'],
	['0049170', 'starts with a zero'],
	['123456', 'has 6 digits: 7 to 15 are needed'],
	['1234567890123456', 'has 16 digits'],
	['91987654321a', 'contains "a"'],
	['9198765\u202a43210', 'contains the invisible character U+202A'],
	['919876543210\u0000', 'contains the invisible character U+0000'],
	['٩١٩٨٧٦٥٤٣٢١٠', 'which is not a digit'],
])('%j is refused', (value, problem) => {
	expect(checkChatPhone(value)).toEqual({ problem: expect.stringContaining(problem) as string });
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

test('voice numbers need ten digits and pass as they are', () => {
	expect(checkVoicePhone(' 098765 43210 ')).toEqual({ phone: '098765 43210' });
	expect(checkVoicePhone('987654321')).toEqual({
		problem: '"987654321" has 9 digits: at least 10 are needed',
	});
});
