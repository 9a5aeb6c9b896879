import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { lostParameters } from '../../support/docs/contract';
import { describedOperations } from '../../support/operations';

const { description } = new MessagingService();
test.each(describedOperations)('$name is worded as n8n words its own', ({ option }) => {
	expect(option.action).toMatch(/^[A-Z]/);
	expect(option.description).toMatch(/^[A-Z]/);
});

test('texts that can be typed have an example', () => {
	const typed = description.properties.filter(({ type }) => type === 'string' || type === 'json');
	const without = typed.filter(({ name, placeholder, default: preset }) =>
		!placeholder?.startsWith('e.g. ') && preset === '' ? name : undefined,
	);
	expect(without.map(({ name }) => name)).toEqual([]);
});

// What the nodes have is compared with docs/contract.md, section 3.1 in test/unit/docs.test.ts.
describe('a table of parameters', () => {
	const table = [
		'| `a` | `get` | GET /a | `id`*, `limit` (`50`), [3.2](#32) |',
		'| all of [3.2](#32) | | | `options.timeout` (`60`) |',
	].join('\n');

	test.each([
		['a parameter', '`id`*, ', ''],
		['a default', '(`50`)', '(`40`)'],
		['an operation', '`get`', '`read`'],
		['a common option', '`options.timeout`', '`options.patience`'],
		['the common options', ', [3.2](#32)', ''],
	])('must not lose or change %s', (_what, from, to) => {
		expect(lostParameters(table, table.replace(from, to))).not.toEqual([]);
	});
});
