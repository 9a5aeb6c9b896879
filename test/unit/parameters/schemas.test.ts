import { headerText } from '../../../nodes/MessagingService/parameters/schemas';

test.each([
	['Hello {{name}}', 'contains {{name}}, which was not filled in'],
	['https://host.example/{{1}}.png', 'contains {{1}}, which was not filled in'],
	['https://host.example/a b.png', 'https://host.example/a%20b.png'],
	['Order {7}', 'Order {7}'],
])('%j as the header of a template', (value, expected) => {
	const { data, error } = headerText.safeParse(value);
	expect(data ?? error?.issues[0]?.message).toBe(expected);
});
