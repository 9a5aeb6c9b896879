import { gzipSync } from 'node:zlib';
import { attachN8n, waitFor } from '../../harness';
import { deliver, messageEvent, signatureHeader, signatureOf, signed } from '../../harness/deliver';
import type { Delivery } from '../../harness/deliver';
import { useTriggers } from '../support/e2e/triggers';

const n8n = attachN8n();
const triggers = useTriggers(() => n8n);

/** Status and number of executions. */
type Verdict = [status: number, executions: number];
type Make = (body: string, secret: string) => Delivery;

const starts: Verdict = [200, 1];
const refused: Verdict = [401, 0];
const invalid: Verdict = [400, 0];

const json = 'application/json';
const type =
	(contentType?: string): Make =>
	(body, secret) =>
		signed(body, secret, { 'content-type': contentType });

/** Another body, signed. */
const raw =
	(text: string, contentType?: string): Make =>
	(_body, secret) =>
		signed(text, secret, { 'content-type': contentType });

// Node joins headers of one name with commas, and any good signature counts.
const twoSignatures: Make = (body, secret) => {
	const signatures = ['wrong', secret].map((one) => signatureOf(body, one));
	return signed(body, secret, { [signatureHeader]: signatures });
};

// Without its length in front n8n reads such a body before it refuses it, and the response arrives.
const tooLarge =
	(contentType: string): Make =>
	(_body, secret) =>
		signed(Buffer.alloc(16 * 1024 * 1024 + 1, ' '), secret, {
			...{ 'content-type': contentType, 'content-length': undefined },
			'transfer-encoding': 'chunked',
		});

/** Ways to deliver that n8n itself has a part in, with what must come of them. */
const cases: Array<[name: string, verdict: Verdict, make: Make]> = [
	// n8n reads the bodies of some content types by itself, and leaves others to the node.
	['content type with a character set', starts, type(`${json}; charset=utf-8`)],
	['content type text/plain', starts, type('text/plain')],
	['content type application/octet-stream', starts, type('application/octet-stream')],
	['content type missing', starts, type()],
	[
		'gzip, signed over the unpacked body',
		starts,
		(body, secret) => ({
			...signed(body, secret, { 'content-encoding': 'gzip' }),
			body: gzipSync(body),
		}),
	],
	['body with a byte order mark', starts, (body, secret) => signed(`\ufeff${body}`, secret)],
	['two signatures, one of them good', starts, twoSignatures],
	[
		'form with files, which n8n takes apart',
		refused,
		(body, secret) =>
			signed(
				`--b\r\nContent-Disposition: form-data; name="event"\r\n\r\n${body}\r\n--b--\r\n`,
				secret,
				{ 'content-type': 'multipart/form-data; boundary=b' },
			),
	],
	[`signed, above n8n's 16 MB limit, ${json}`, [500, 0], tooLarge(json)],
	["signed, above n8n's 16 MB limit, as bytes", refused, tooLarge('application/octet-stream')],
	['signed, not JSON', [422, 0], raw('not JSON', json)],
	['signed, not JSON, as text', invalid, raw('not JSON', 'text/plain')],
	['signed, empty body', invalid, raw('', json)],
	['GET instead of POST', [404, 0], () => ({ method: 'GET' })],
];

const found = new Map<string, Verdict>();
let executions = 0;

beforeAll(async () => {
	const { id, registration } = await triggers.publish();
	const { url, secret } = registration;
	const responses: Array<{ name: string; status: number; messageId: string }> = [];
	for (const [name, , make] of cases) {
		const event = messageEvent();
		const { status } = await deliver(url, make(JSON.stringify(event), secret));
		responses.push({ name, status, messageId: event.data.providerMessageId });
	}
	// One more good event: whatever came before it has become an execution by then, if at all.
	const last = messageEvent();
	await deliver(url, signed(JSON.stringify(last), secret));
	const started = await waitFor('the execution of the last event', async () => {
		// It may end before the others.
		if ((await n8n.countExecutions(id, 'running')) > 0) return undefined;
		const all = (await n8n.executions(id)).map((one) => JSON.stringify(one.json('Then')));
		return all.some((text) => text.includes(last.data.providerMessageId)) && all;
	});
	for (const { name, status, messageId } of responses) {
		found.set(name, [status, started.filter((text) => text.includes(messageId)).length]);
	}
	executions = started.length - 1;
	await n8n.unpublish(id);
});

test.each(cases)('%s', (name, verdict) => expect(found.get(name)).toEqual(verdict));

test('nothing else starts', () => {
	expect(executions).toBe(cases.reduce((sum, [, [, count]]) => sum + count, 0));
});
