import { maskOf } from '../../../nodes/MessagingService/api/masking';

const key = 'msk_0123"\\abc';

test('masks the key in texts and field names at any depth', () => {
	const answer = { [key]: [{ error: `Bearer ${key}, ${key}` }], count: 3, none: null };
	expect(maskOf(key)(answer)).toEqual({
		'[API key]': [{ error: 'Bearer [API key], [API key]' }],
		count: 3,
		none: null,
	});
});

test('leaves an answer without the key as it is', () => {
	const answer = { at: new Date(), text: 'msk_0123' };
	expect(maskOf(key)(answer)).toBe(answer);
});

test.each(['', '1', 'success'])('%j is no key that could be told from other text', (short) => {
	const answer = { success: true, message: 'success 1' };
	expect(maskOf(short)(answer)).toBe(answer);
});
