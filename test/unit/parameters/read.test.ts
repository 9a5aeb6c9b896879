import { Failure, InputFailure } from '../../../nodes/MessagingService/api/failure';
import { inputFailureOr } from '../../../nodes/MessagingService/parameters/read';

const preset = 'Correct the expression or the input item.';
const long = 'x'.repeat(501);

test.each([
	[new Error('bad [item 2]'), { message: 'Bad (item 3)', description: preset }],
	[new Error(long), { message: `X${long.slice(2)} (item 3)`, description: preset }],
	[
		{ message: 'bad', description: 'Do this.' },
		{ message: 'Bad (item 3)', description: 'Do this.' },
	],
])('input that cannot be used is a failure, whatever was thrown: %s', async (error, expected) => {
	const result = await inputFailureOr(2, async () => await Promise.reject(error as Error));
	expect(result).toBeInstanceOf(InputFailure);
	expect(result).toMatchObject(expected);
});

test('a value and a failure of our own stay what they are', async () => {
	expect(await inputFailureOr(0, () => 7)).toBe(7);
	const own = new Failure('No', { outcome: 'rejected', description: 'D' });
	expect(await inputFailureOr(0, async () => await Promise.reject(own))).toBe(own);
});
