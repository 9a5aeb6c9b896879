import type { IDataObject } from 'n8n-workflow';
import { fieldPaths, plainValue } from '../../../nodes/MessagingService/parameters/expressions';

test.each([
	['={{ $json.phone }}', ['phone']],
	['={{$json.order.phone}}', ['order', 'phone']],
	['={{ $json["Phone number"] }}', ['Phone number']],
	['={{ $json[\'a\'].b["c"] }}', ['a', 'b', 'c']],
])('%s only names a field', (raw, path) => {
	expect(fieldPaths(raw)).toEqual([path]);
});

test.each([
	...['$json.phone', '=+{{ $json.phone }}', '={{ $json.phone }}{{ $json.phone }}', 42],
	...['={{ $json.phone.trim() }}', '={{ $json }}', '={{ $json["a\\"b"] }}', '={{ $json.a-b }}'],
	'={{ $jsonata.phone }}',
])('%s is left to n8n', (raw) => {
	expect(fieldPaths(raw)).toBeUndefined();
});

test('only plain values of own fields are taken', () => {
	const item = { json: { text: 'a', none: null, list: [1], deep: { yes: false }, empty: '' } };
	expect(plainValue(item, [['text']])).toBe('a');
	expect(plainValue(item, [['empty']])).toBe('');
	expect(plainValue(item, [['deep', 'yes']])).toBe(false);
	for (const path of [['none'], ['list'], ['toString']]) {
		expect(plainValue(item, [path])).toBeUndefined();
	}
	expect(plainValue(undefined, [['text']])).toBeUndefined();
});

test('of several fields, the first that has a value counts', () => {
	const paths = fieldPaths('={{ $json.sentWith?.createdAt ?? $json.createdAt }}');
	expect(paths).toEqual([['sentWith', 'createdAt'], ['createdAt']]);
	const valueIn = (json: IDataObject) => plainValue({ json }, paths ?? []);
	expect(valueIn({ sentWith: { createdAt: 'a' }, createdAt: 'b' })).toBe('a');
	for (const sentWith of [undefined, null, {}, 7, { createdAt: null }])
		expect(valueIn({ sentWith, createdAt: 'b' } as IDataObject)).toBe('b');
	// n8n evaluates what is no plain value.
	expect(valueIn({ sentWith: { createdAt: [] }, createdAt: 'b' })).toBeUndefined();
	// These would throw if `a` is missing, and n8n decides what then.
	expect(fieldPaths('={{ $json.a.b ?? $json.c }}')).toBeUndefined();
	expect(fieldPaths('={{ $json["a ?? b?.c"] }}')).toEqual([['a ?? b?.c']]);
});
