import { fieldPath, plainValue } from '../../../nodes/MessagingService/parameters/expressions';

test.each([
	['={{ $json.phone }}', ['phone']],
	['={{$json.order.phone}}', ['order', 'phone']],
	['={{ $json["Phone number"] }}', ['Phone number']],
	['={{ $json[\'a\'].b["c"] }}', ['a', 'b', 'c']],
])('%s only names a field', (raw, path) => {
	expect(fieldPath(raw)).toEqual(path);
});

test.each([
	...['$json.phone', '=+{{ $json.phone }}', '={{ $json.phone }}{{ $json.phone }}', 42],
	...['={{ $json.phone.trim() }}', '={{ $json }}', '={{ $json["a\\"b"] }}', '={{ $json.a-b }}'],
	'={{ $jsonata.phone }}',
])('%s is left to n8n', (raw) => {
	expect(fieldPath(raw)).toBeUndefined();
});

test('only plain values of own fields are taken', () => {
	const item = { json: { text: 'a', none: null, list: [1], deep: { yes: false }, empty: '' } };
	expect(plainValue(item, ['text'])).toBe('a');
	expect(plainValue(item, ['empty'])).toBe('');
	expect(plainValue(item, ['deep', 'yes'])).toBe(false);
	for (const path of [['none'], ['list'], ['toString']]) {
		expect(plainValue(item, path)).toBeUndefined();
	}
	expect(plainValue(undefined, ['text'])).toBeUndefined();
});
