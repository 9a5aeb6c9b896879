import fc, { type Arbitrary } from 'fast-check';

const longest = 5_000;

/** Texts that have broken programs before. */
const traps = [
	// Nothing to see, and what programs take for values of their own.
	...['', '\0', '\r\n', '\u202e\ufeff', '__proto__', 'undefined', 'NaN', '1e400'],
	...['{{ $json }}', '={{ 1 }}', '2026-02-30', '-271821-04-20T00:00:00Z'],
	// Headers, parts of forms and addresses.
	...['a"\r\nX-Injected: 1\r\n\r\n--b\0', 'x"; name="phone"; filename="', '\r\n--boundary--\r\n'],
	...['../../chat/send?x=1#y', '&id=2&id=3', '%0d%0a%00', 'https://host.example/\r\nX-Injected: 1'],
	...[
		'https://user:word@host.example/#?',
		'javascript:alert(1)',
		'a@h.example\r\nBcc: b@h.example',
	],
	// Numbers.
	...['447700900210\r\nX: 1', '+44\u00a07700\u200b900210', '९१९८७६५४३२१०', '00447700900210'],
	// JSON.
	...['[', '[1, "a", null, {}]', '[["a"]]', '[{"phone": ["447700900210"]}, null, 5]'],
	'{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
	'[{"phone": "447700900210", "__proto__": {"polluted": true}, "params": [{}]}]',
	...['a', '9', '[', 'a,', ' @', '\\'].map((part) => part.repeat(longest / part.length)),
];

const loneSurrogates = fc.string({
	unit: fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)),
	minLength: 1,
	maxLength: 5,
});

/** Any text: traps, all of Unicode, halves of characters, control characters. */
export const oddText: Arbitrary<string> = fc.oneof(
	{ weight: 4, arbitrary: fc.constantFrom(...traps) },
	{ weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
	fc.string({ unit: 'binary-ascii', maxLength: 20 }),
	loneSurrogates,
);

/** Objects that are not what they seem; as JSON has them, and so as a workflow can. */
const oddObjects: unknown[] = [
	{},
	[],
	[[]],
	{ toString: 1, valueOf: 1 },
	{ toISO: 1 },
	{ toJSON: 1 },
	{ value: { value: 'x' } },
	{ __rl: true, mode: 'list', value: null },
	{ length: 1e9 },
	{ parameter: 'text' },
	{ parameter: [null, { value: {} }, 5] },
	JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "hasOwnProperty": 2}'),
	Array(1_000).fill(0),
	Array(1_000).fill({ phone: '447700900210', params: ['a'] }),
];

const leaf = fc.oneof(
	oddText,
	fc.double(),
	fc.integer(),
	fc.maxSafeInteger(),
	fc.boolean(),
	fc.constant(null),
);

/** Any value that JSON can hold, also where no workflow should have it. */
export const oddValue: Arbitrary<unknown> = fc.oneof(
	{ weight: 5, arbitrary: leaf },
	{ weight: 2, arbitrary: fc.constantFrom(...oddObjects) },
	fc.constant(undefined),
	fc.array(leaf, { maxLength: 4 }),
	fc.dictionary(oddText, leaf, { maxKeys: 4, noNullPrototype: true }),
);

/** A file with odd names and types, as a Code node can make one. */
export const oddBinary: Arbitrary<Record<string, unknown>> = fc.record(
	{
		data: fc.oneof(
			{
				weight: 6,
				arbitrary: fc
					.uint8Array({ minLength: 1, maxLength: 50 })
					.map((bytes) => Buffer.from(bytes).toString('base64')),
			},
			oddValue,
		),
		mimeType: fc.oneof({ weight: 3, arbitrary: fc.constant('application/zip') }, oddValue),
		fileName: fc.oneof({ weight: 2, arbitrary: oddText }, oddValue),
		fileExtension: oddValue,
	},
	{ requiredKeys: ['data', 'mimeType'], noNullPrototype: true },
);
