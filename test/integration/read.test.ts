import { z } from 'zod';
import { findOperation } from '../../nodes/MessagingService/actions';
import { parameterReader } from '../../nodes/MessagingService/parameters/read';
import { executeContext } from '../support/core/execute';

/** Reads a parameter with three items and counts how often its value was checked. */
function checksOf(name: string, value: string) {
	const items = ['1', '2', '3'].map((phone) => ({ json: { phone } }));
	const parameters = { resource: 'chatMessage', operation: 'sendTemplate', [name]: value };
	const credential = { baseUrl: 'http://127.0.0.1/api/v1', apiKey: 'key of the test' };
	const read = parameterReader(
		executeContext({ credential, parameters, items }),
		findOperation('chatMessage', 'sendTemplate')?.fields ?? [],
	);
	let checks = 0;
	const schema = z.unknown().transform((checked) => {
		checks++;
		return checked;
	});
	return { values: items.map((_, index) => read(index)(name, schema)), checks };
}

test('a parameter without an expression is checked once for all items', () => {
	const values = ['a', 'a', 'a'];
	expect(checksOf('templateName', 'a')).toEqual({ values, checks: 1 });
});

test.each(['={{ $json.phone }}', '={{ $json.phone + "" }}'])('%s is checked for each', (value) => {
	expect(checksOf('phone', value)).toEqual({ values: ['1', '2', '3'], checks: 3 });
});
