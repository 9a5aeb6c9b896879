import fc from 'fast-check';
import { endpoints, type Endpoint } from '../../../nodes/MessagingService/api/endpoints';
import { Failure, type Outcome } from '../../../nodes/MessagingService/api/failure';
import { judge } from '../../../nodes/MessagingService/api/response';

/** What a body says: bodies of which the contract says the same. */
type Kind = 'accepted' | 'rejected' | 'unclear' | 'foreign';

const text = fc.string({ minLength: 1 }).filter((value) => value.trim() !== '');
const noText = fc.constantFrom(7, true, false, null, '', ' ', {}, [], { message: 'No' });
const extra = fc.dictionary(fc.constantFrom('cost', 'code', 'data', 'message'), fc.jsonValue(), {
	noNullPrototype: true,
});
const merged = (...parts: Array<fc.Arbitrary<object>>) =>
	fc.tuple(...parts).map((values) => Object.assign({}, ...values) as unknown);
const said = (success: unknown) => fc.constant({ success });
const notBoolean = fc
	.constantFrom('true', 'false', 0, 1, null, [], {})
	.map((success) => ({ success }));
const withError = fc.record({ error: text });
const withOddError = fc.record({ error: noText }, { requiredKeys: [] });

const bodies: Record<Kind, fc.Arbitrary<unknown>> = {
	accepted: merged(extra, fc.oneof(withError, withOddError), said(true)),
	rejected: fc.oneof(
		merged(extra, fc.oneof(withError, withOddError), said(false)),
		merged(extra, withError),
	),
	unclear: fc.oneof(
		merged(extra, withOddError),
		merged(extra, fc.oneof(withError, withOddError), notBoolean),
	),
	foreign: fc.oneof(
		fc.string(),
		fc.constantFrom('<html><h1>Nginx</h1></html>', '', ' ', null, undefined, 7, true),
		fc.array(fc.jsonValue()),
	),
};

const drawn = fc
	.constantFrom<Kind>('accepted', 'rejected', 'unclear', 'foreign')
	.chain((kind) => bodies[kind].map((body) => ({ kind, body })));

const statuses = fc.oneof(
	fc.constantFrom(200, 201, 400, 401, 402, 403, 404, 413, 429, 500),
	fc.integer({ min: 200, max: 599 }),
);

/** What docs/contract.md, section 4.4, says of an outcome, written once more. */
function expected(status: number, kind: Kind, body: unknown, path: string): Outcome | 'accepted' {
	const { success, error } = Object(body) as { success?: unknown; error?: unknown };
	if (status === 200 || status === 201) {
		const isOddMedia = path === '/chat/send-media' && !isNone(error);
		if (kind === 'accepted') return isOddMedia ? 'unknown' : kind;
		if (path === '/chat/send-media' && kind === 'unclear' && isNone(error)) return 'accepted';
		return kind === 'rejected' ? kind : 'unknown';
	}
	const isDocumented = [400, 401, 402, 403, 404, 413, 429].includes(status);
	const isBefore = isDocumented || (status === 500 && path === '/chat/send' && success === false);
	return isBefore && hasError(body) ? 'rejected' : 'unknown';
}

/** Whether an error is null, false or empty. */
const isNone = (error: unknown): boolean =>
	[undefined, 'null', 'false', '""', '" "', '{}', '[]'].includes(JSON.stringify(error));

const hasError = (body: unknown): boolean => {
	const { error } = Object(body) as { error?: unknown };
	return typeof error === 'string' && error.trim() !== '';
};

const sends: Endpoint[] = Object.values(endpoints).filter((endpoint) => 'lookUpAdvice' in endpoint);

const outcomeOf = (statusCode: number, body: unknown, endpoint: Endpoint) => {
	const result = judge({ statusCode, headers: {}, body }, { endpoint });
	return result instanceof Failure ? result : undefined;
};

test('every status with every kind of body has the outcome that the contract says', () => {
	fc.assert(
		fc.property(statuses, drawn, fc.constantFrom(...sends), (status, { kind, body }, endpoint) => {
			const failure = outcomeOf(status, body, endpoint);
			const outcome = failure?.outcome ?? 'accepted';
			expect(outcome).toBe(expected(status, kind, body, endpoint.path));
			if (!failure) return;
			expect(failure.statusCode).toBe(status);
			expect(failure.message).not.toBe('');
			expect(failure.description).not.toBe('');
		}),
		{ numRuns: Number(process.env.RESPONSES ?? 5_000) },
	);
});

const unclear = 'The response does not show whether the request was carried out';

test.each([
	[{ success: false }, 'rejected', 'The service did not carry out the request: {"success":false}'],
	[{ success: false, error: ' ', message: 'Not today' }, 'rejected', 'Not today'],
	[{}, 'unknown', `${unclear}: {}`],
	[{ success: 1, error: 'No' }, 'unknown', `${unclear}: {`],
	[[], 'unknown', 'The base URL returned an unexpected response (status 200): []'],
])('200 with %j to a send is %s', (body, outcome, message) => {
	for (const endpoint of sends) {
		if (endpoint === endpoints.sendMedia && message.endsWith(': {}')) continue;
		const failure = outcomeOf(200, body, endpoint);
		expect(failure).toMatchObject({ outcome, message: expect.stringContaining(message) });
		const advice = outcome === 'unknown' ? 'To resend' : 'Correct what the error names';
		expect(failure?.description).toContain(advice);
	}
});

test.each([
	[200, { error: null, configs: [] }, undefined],
	[200, { error: '', webhook: { id: 1 } }, undefined],
	[200, { error: false }, undefined],
	[200, { success: false }, 'rejected'],
	[200, { success: 'yes' }, 'unknown'],
	[200, { error: { code: 7 } }, 'unknown'],
	[500, { error: 'Broke' }, 'rejected'],
])('%i with %j to what costs nothing: %s', (status, body, outcome) => {
	for (const endpoint of [endpoints.getNumbers, endpoints.createWebhook, endpoints.upload]) {
		expect(outcomeOf(status, body, endpoint)?.outcome).toBe(outcome);
	}
});
