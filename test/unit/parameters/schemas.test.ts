import {
	choiceOf,
	choices,
	choicesOf,
	fieldNames,
	filesFor,
	flag,
	json,
	anything,
	jsonObjects,
	languageCode,
	objectSchema,
	requiredName,
	requiredTimestampIn,
	someDigits,
	someNumber,
	text,
	wholeNumber,
	type Schema,
} from '../../../nodes/MessagingService/parameters/schemas';

/** What a schema makes of a value, or the problem as a user reads it. */
function outcome(schema: Schema<unknown>, value: unknown): unknown {
	const result = schema.safeParse(value);
	return result.success ? { is: result.data } : result.error.issues[0]?.message;
}

const unsafe = { toString: 1, valueOf: 1 };
const own = JSON.parse('{"__proto__": {"a": 1}, "phone": 1}') as object;
const { fileUrl } = filesFor({ isPrivate: false });

// Runs with several versions of zod: see test/jest.config.js.
test.each<[string, Schema<unknown>, Array<[value: unknown, expected: unknown]>]>([
	[
		'a text',
		text,
		[
			['a\nb ', { is: 'a\nb ' }],
			[0, { is: '0' }],
			[undefined, { is: '' }],
			[null, { is: '' }],
			[Infinity, 'is Infinity, which is not a number'],
			[unsafe, 'is an object: use one of its fields, e.g. "toString"'],
			[[], 'is a list: use one of its entries, or join them with .join(", ")'],
		],
	],
	[
		'a required name',
		requiredName,
		[
			[' a\nb\n', { is: 'a\nb' }],
			[7, { is: '7' }],
			[' \n', 'is empty'],
			[null, 'is empty'],
		],
	],
	[
		'a language code',
		languageCode,
		[
			['pt_BR ', { is: 'pt_BR' }],
			['', { is: '' }],
			['en\nde', 'is not a language code like en or en_US'],
		],
	],
	[
		'digits',
		someDigits,
		[
			['+44 7', { is: '447' }],
			['', { is: '' }],
			['7a', '"7a" contains "a", which is not a digit'],
		],
	],
	[
		'a number',
		someNumber,
		[
			['1.5', { is: 1.5 }],
			[-0.5, { is: -0.5 }],
			['', 'is not a number'],
			[null, 'is not a number'],
			[undefined, 'is not a number'],
			['1,5', 'is not a number'],
			[true, 'is not a number'],
			[[1], 'is not a number'],
			[NaN, 'is not a number'],
			[unsafe, 'is not a number'],
		],
	],
	[
		'a whole number',
		wholeNumber(1, 100),
		[
			[' 7 ', { is: 7 }],
			[1, { is: 1 }],
			[100, { is: 100 }],
			[0, 'is less than 1'],
			[101, 'is more than 100'],
			[1e300, 'is more than 100'],
			[1.5, 'is not a whole number'],
			[Infinity, 'is not a whole number'],
			['a', 'is not a number'],
		],
	],
	[
		'a switch',
		flag,
		[
			['TRUE', { is: true }],
			[1, { is: true }],
			[false, { is: false }],
			['yes', 'is neither true nor false'],
		],
	],
	['a choice', choiceOf({ a: 1 }), [[' a', { is: 'a' }]]],
	[
		'several choices',
		choicesOf({ a: 1, b: 2 }),
		[
			['a, b,', { is: ['a', 'b'] }],
			[['a', ''], { is: ['a'] }],
			[undefined, { is: [] }],
			['a,c', 'contains "c", which is not one of a, b'],
			[[['a']], 'is a list: use one of its entries, or join them with .join(", ")'],
		],
	],
	['choices', choices, [[7, { is: ['7'] }]]],
	[
		'names of fields',
		fieldNames,
		[
			[`a, ['b, c']`, { is: ['a', "['b, c']"] }],
			[['a', 1], { is: ['a', '1'] }],
		],
	],
	[
		'JSON',
		json(anything),
		[
			['[1]', { is: [1] }],
			[{ a: 1 }, { is: { a: 1 } }],
			['', 'is not valid JSON: Unexpected end of JSON input'],
			[JSON.parse(`${'['.repeat(22)}${']'.repeat(22)}`), 'has more than 20 levels'],
		],
	],
	[
		'an object',
		objectSchema('is not a JSON object'),
		[
			[{ a: { b: 1 } }, { is: { a: { b: 1 } } }],
			[own, { is: own }],
			[Object.create(null), { is: {} }],
			...[[], 'a', null, undefined, new Date(0), new Map()].map((value): [unknown, string] => [
				value,
				'is not a JSON object',
			]),
		],
	],
	[
		'a list of objects',
		jsonObjects,
		[
			['[{"a": 1}]', { is: [{ a: 1 }] }],
			[[{}, { a: [1] }], { is: [{}, { a: [1] }] }],
			['[]', { is: [] }],
			['{"a": 1}', 'is not a JSON array of objects'],
			[null, 'is not a JSON array of objects'],
			['[{}, 1]', 'is not a list of objects'],
			['[null]', 'is not a list of objects'],
		],
	],
	[
		'a time',
		requiredTimestampIn('Asia/Kolkata'),
		[
			['2026-01-31T05:30', { is: Date.UTC(2026, 0, 31) }],
			[new Date(1e12), { is: 1e12 }],
			['', 'is empty'],
			['soon', expect.stringMatching(/^"soon" is not a date like /)],
		],
	],
	[
		'the address of a file',
		fileUrl,
		[
			['https://host.example/a', { is: 'https://host.example/a' }],
			['', 'is empty'],
			['https://10.0.0.1/a', 'is an address that the service cannot reach'],
			['a.png', 'is not an absolute address (https://…)'],
		],
	],
])('%s', (_name, schema, cases) => {
	expect(cases.map(([value]) => outcome(schema, value))).toEqual(
		cases.map(([, expected]) => expected),
	);
});
