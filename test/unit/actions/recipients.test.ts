import {
	checkRows,
	type Row,
} from '../../../nodes/MessagingService/actions/bulkCampaign/recipients';

const row = (values: Partial<Row>): Row => ({
	phone: '919876543210',
	params: [],
	headerValue: undefined,
	headerMediaId: undefined,
	name: undefined,
	...values,
});

/** Everything in chunks of two, as it is. */
function check(rows: Row[], removeDuplicates = false) {
	const { chunks, ...others } = checkRows(
		rows.length,
		(index) => rows[index] ?? row({}),
		removeDuplicates,
		{ size: 2, make: (recipients) => recipients },
	);
	return {
		...others,
		recipients: chunks.flatMap(({ chunk }) => chunk),
		chunks: chunks.map(({ rows: indices }) => indices),
	};
}

test('keeps what the service takes and nothing else', () => {
	const { recipients, bad } = check([
		row({ phone: '+91 98765 43210', params: ['A', 2], name: 'Anna', headerValue: '' }),
	]);
	expect(recipients).toEqual([{ phone: '919876543210', params: ['A', '2'], name: 'Anna' }]);
	expect(bad).toEqual([]);
});

test.each([
	[row({ phone: '0123456789' }), 'the phone number "0123456789" starts with a zero'],
	[row({ phone: undefined }), 'the phone number is empty'],
	[row({ params: ['A', null] }), 'the value of parameter {{2}} is missing'],
	[row({ params: ['A', 'B'] }), 'it has 2 parameters, the first recipient has 1'],
	[row({ params: ['A'], headerValue: 'x', headerMediaId: 'y' }), 'both a header value'],
	[row({ params: 'A' }), 'params is not an array'],
])('names what is wrong with %j', (wrong, reason) => {
	const { recipients, bad } = check([row({ params: ['A'] }), wrong]);
	expect(recipients).toHaveLength(1);
	expect(bad).toEqual([
		{
			row: 2,
			value: expect.any(String) as string,
			reason: expect.stringContaining(reason) as string,
		},
	]);
});

test('removes duplicates by the number itself and counts them', () => {
	const rows = [row({}), row({ phone: '+91 9876543210' }), row({ phone: '919876543211' })];
	expect(check(rows, true)).toMatchObject({ duplicates: 1, chunks: [[0, 2]] });
	expect(check(rows, false)).toMatchObject({ duplicates: 0, chunks: [[0, 1], [2]] });
});
