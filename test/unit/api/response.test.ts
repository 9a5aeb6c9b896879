import fc from 'fast-check';
import { endpoints, type Endpoint } from '../../../nodes/MessagingService/api/endpoints';
import { Failure, type Outcome } from '../../../nodes/MessagingService/api/failure';
import { judge } from '../../../nodes/MessagingService/api/response';

/** What a body says: bodies of which the contract says the same. */
type Kind = 'ownError' | 'success' | 'refusal' | 'foreign';

const text = fc.string({ minLength: 1 }).filter((value) => value.trim() !== '');
const extra = fc.dictionary(fc.constantFrom('cost', 'code', 'data', 'details'), fc.jsonValue(), {
	noNullPrototype: true,
});
const merged = (...parts: Array<fc.Arbitrary<object>>) =>
	fc.tuple(...parts).map((values) => Object.assign({}, ...values) as unknown);

const bodies: Record<Kind, fc.Arbitrary<unknown>> = {
	ownError: merged(extra, fc.record({ error: text })),
	success: fc.oneof(
		merged(extra, fc.constantFrom({}, { success: true }, { error: null })),
		merged(extra, fc.record({ error: text, success: fc.constant(true) })),
	),
	refusal: fc.oneof(
		merged(
			extra,
			fc.record({ success: fc.constantFrom(false, 'false', 'true', 0, 1, null), error: text }),
		),
		merged(extra, fc.record({ success: fc.constant(false), message: text })),
	),
	foreign: fc.oneof(
		fc.string(),
		fc.constantFrom('<html><h1>Nginx</h1></html>', '', ' ', null, undefined, 7, true),
		merged(extra, fc.record({ success: fc.constant(false) })),
		merged(
			extra,
			fc.record({ error: fc.constantFrom(7, true, '', ' ', {}, [], { message: 'No' }) }),
		),
	),
};

const drawn = fc
	.constantFrom<Kind>('ownError', 'success', 'refusal', 'foreign')
	.chain((kind) => bodies[kind].map((body) => ({ kind, body })));

const documented = fc.constantFrom(200, 201, 400, 401, 402, 403, 404, 500);
const statuses = fc.oneof(
	documented,
	fc.constantFrom(202, 204, 205, 206, 405, 408, 409, 410, 413, 415, 418, 422, 425, 429, 451, 499),
	fc.constantFrom(501, 502, 503, 504, 505, 507, 511, 520, 521, 522, 523, 524, 525, 526, 530, 599),
	fc.integer({ min: 200, max: 599 }),
);

/** What docs/contract.md, section 4.4, says of an outcome, written once more. */
function expected(status: number, kind: Kind): Outcome | 'accepted' {
	if (status === 200 || status === 201) {
		if (kind === 'success') return 'accepted';
		return kind === 'foreign' ? 'unknown' : 'rejected';
	}
	if (![400, 401, 402, 403, 404, 413, 429, 500].includes(status)) return 'unknown';
	return 'ownError' === kind ? 'rejected' : 'unknown';
}

const sends: Endpoint[] = Object.values(endpoints).filter((endpoint) => 'lookUp' in endpoint);

const outcomeOf = (statusCode: number, body: unknown, endpoint: Endpoint) => {
	const result = judge({ statusCode, headers: {}, body }, { endpoint, body: { phone: '1' } });
	return result instanceof Failure ? result : undefined;
};

test('every status with every kind of body has the outcome that the contract says', () => {
	fc.assert(
		fc.property(statuses, drawn, fc.constantFrom(...sends), (status, { kind, body }, endpoint) => {
			const failure = outcomeOf(status, body, endpoint);
			const outcome = failure?.outcome ?? 'accepted';
			// A refusal by its `success` has an error of its own, too, wherever the status is one.
			const asked = kind === 'refusal' && hasError(body) && status >= 400 ? 'ownError' : kind;
			const asSuccess = kind === 'success' && hasError(body) && status >= 400 ? 'ownError' : asked;
			expect(outcome).toBe(expected(status, status < 300 ? fits(kind) : asSuccess));
			if (!failure) return;
			expect(failure.statusCode).toBe(status);
			expect(failure.message).not.toBe('');
			expect(failure.description).not.toBe('');
		}),
		{ numRuns: Number(process.env.RESPONSES ?? 5_000) },
	);
});

const hasError = (body: unknown): boolean =>
	typeof body === 'object' &&
	body !== null &&
	typeof (body as { error?: unknown }).error === 'string';

/** With a status of success an error without `success` refuses. */
const fits = (kind: Kind): Kind => (kind === 'ownError' ? 'refusal' : kind);

test.each([
	[429, 'unknown', 'did not let the request pass (status 429): a web page', 'Batching'],
	[413, 'unknown', 'did not let the request pass (status 413)', 'smaller file'],
	[404, 'unknown', 'a web page', 'version segment'],
	[499, 'unknown', 'a web page', 'version segment'],
	[503, 'unknown', 'behind its gateway', 'Get Many'],
])('a page with status %i is %s', (status, outcome, message, advice) => {
	const failure = outcomeOf(status, '<html>', endpoints.sendTemplate);
	expect(failure).toMatchObject({ outcome });
	expect(failure?.message).toContain(message);
	expect(failure?.description).toContain(advice);
});

test('a deletion may answer with nothing, also as no content', () => {
	for (const [status, body] of [
		[204, ''],
		[200, ''],
		[200, undefined],
	] as const) {
		expect(outcomeOf(status, body, endpoints.deleteWebhook)).toBeUndefined();
	}
	expect(outcomeOf(204, '', endpoints.sendText)).toMatchObject({ outcome: 'unknown' });
});

test('no text of an answer is longer than somebody reads', () => {
	const long = 'long '.repeat(100_000);
	for (const [status, body] of [
		[500, { error: long }],
		[200, { success: false, message: long }],
		[200, long],
		[200, `<p>${long}`],
		[200, { error: [long] }],
	] as const) {
		const failure = outcomeOf(status, body, endpoints.sendText);
		expect(failure?.message.length).toBeLessThan(1_200);
		expect(failure?.description.length).toBeLessThan(1_200);
		expect(JSON.stringify(failure?.facts).length).toBeLessThan(1_200);
	}
	const headers = { location: `https://host.example/${long}` };
	const redirect = judge(
		{ statusCode: 302, headers, body: '' },
		{ endpoint: endpoints.sendText, body: {} },
	);
	expect(redirect).toBeInstanceOf(Failure);
	expect((redirect as Failure).message.length).toBeLessThan(300);
});
