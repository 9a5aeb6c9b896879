import { deflateSync, gzipSync } from 'node:zlib';
import { attachN8n, waitFor } from '../../harness';
import {
	deliver,
	messageEvent,
	signatureHeader,
	signatureOf,
	signed,
	type Delivery,
} from '../../harness/deliver';
import { writeTable } from '../../harness/docs';
import type { Webhook } from '../../sandbox/state/webhooks';
import { useTriggers } from '../support/e2e/triggers';

const n8n = attachN8n();
const triggers = useTriggers(() => n8n);

/** Status and number of executions. */
type Verdict = [status: number, executions: number];
type Make = (body: string, secret: string) => Delivery;

/** Ways to deliver that n8n itself has a part in, with what must come of them. */
const cases: Array<{ name: string; verdict: Verdict; make: Make }> = [];

const add = (name: string, verdict: Verdict, make: Make) => cases.push({ name, verdict, make });

const starts: Verdict = [200, 1];
const refused: Verdict = [401, 0];
const invalid: Verdict = [400, 0];

// n8n reads the bodies of some content types by itself, and leaves others to the node.
for (const type of [
	'application/json; charset=utf-8',
	'text/plain',
	'application/octet-stream',
	'application/cloudevents+json',
	'x',
	undefined,
]) {
	add(`content type ${type ?? 'missing'}`, starts, (body, secret) =>
		signed(body, secret, { 'content-type': type }),
	);
}
add('gzip, signed over the unpacked body', starts, (body, secret) => ({
	...signed(body, secret, { 'content-encoding': 'gzip' }),
	body: gzipSync(body),
}));
const ownType = { 'content-type': 'application/x-events' };
add('deflate with a content type of its own', starts, (body, secret) => ({
	...signed(body, secret, { 'content-encoding': 'deflate', ...ownType }),
	body: deflateSync(body),
}));
add('body with a byte order mark', starts, (body, secret) => signed(`\ufeff${body}`, secret));

// Node joins headers of one name with commas, and any good signature counts.
for (const [name, verdict, key] of [
	['two signatures, one of them good', starts, ''],
	['two signatures with other secrets', refused, 'other'],
] as const) {
	add(name, verdict, (body, secret) => {
		const signatures = ['wrong', key || secret];
		return signed(body, secret, {
			[signatureHeader]: signatures.map((one) => signatureOf(body, one)),
		});
	});
}
add('form with files, which n8n takes apart', refused, (body, secret) => {
	const form = `--b\r\nContent-Disposition: form-data; name="event"\r\n\r\n${body}\r\n--b--\r\n`;
	return signed(form, secret, { 'content-type': 'multipart/form-data; boundary=b' });
});
add('damaged gzip with a content type of its own', refused, (body, secret) => ({
	...signed(body, secret, { 'content-encoding': 'gzip', ...ownType }),
	body: gzipSync(body).subarray(0, 60),
}));
// Without its length in front n8n reads such a body before it refuses it, and the answer arrives.
const tooLarge = Buffer.alloc(16 * 1024 * 1024 + 1, ' ');
for (const [type, verdict] of [
	['application/json', [500, 0]],
	['application/octet-stream', refused],
] as Array<[string, Verdict]>) {
	add(`signed, above n8n's 16 MB limit, ${type}`, verdict, (_body, secret) =>
		signed(tooLarge, secret, {
			'content-type': type,
			'content-length': undefined,
			'transfer-encoding': 'chunked',
		}),
	);
}

const raw = (name: string, verdict: Verdict, body: string, type?: string) =>
	add(name, verdict, (_body, secret) => signed(body, secret, { 'content-type': type }));
const json = 'application/json';
raw('signed, not JSON', [422, 0], 'not JSON', json);
raw('signed, not JSON, as text', invalid, 'not JSON', 'text/plain');
raw('signed, empty body', invalid, '', json);
raw('signed, empty body without a content type', invalid, '');
add('GET instead of POST', [404, 0], () => ({ method: 'GET' }));

/**
 * Delivers one more good event: whatever came before it has become an execution by then, if at all.
 *
 * @returns what the other executions were started with, as it came
 */
async function allStarted(id: string, { url, secret }: Webhook): Promise<string[]> {
	const last = messageEvent();
	await deliver(url, signed(JSON.stringify(last), secret));
	return await waitFor('the execution of the last event', async () => {
		// It may end before the others.
		if ((await n8n.countExecutions(id, 'running')) > 0) return undefined;
		const all = (await n8n.executions(id)).map((one) => JSON.stringify(one.json('Then')));
		const others = all.filter((text) => text !== JSON.stringify([last]));
		return others.length < all.length && others;
	});
}

describe('verdicts', () => {
	const found = new Map<string, Verdict>();
	let executions = 0;

	beforeAll(async () => {
		const { id, registration } = await triggers.publish();
		const { url, secret } = registration;
		const responses: Array<{ name: string; status: number; messageId: string }> = [];
		for (const { name, make } of cases) {
			const event = messageEvent();
			const { status } = await deliver(url, make(JSON.stringify(event), secret));
			responses.push({ name, status, messageId: event.data.providerMessageId });
		}
		const started = await allStarted(id, registration);
		for (const { name, status, messageId } of responses) {
			found.set(name, [status, started.filter((text) => text.includes(messageId)).length]);
		}
		executions = started.length;
		await n8n.unpublish(id);
	});

	afterAll(() => {
		const rows = cases.map(({ name }) => `| ${[name, ...(found.get(name) ?? [])].join(' | ')} |`);
		const table = ['| delivery | status | executions |', '|---|---:|---:|', ...rows].join('\n');
		writeTable('verdicts', table);
	});

	test.each(cases)('$name', ({ name, verdict }) => {
		expect(found.get(name)).toEqual(verdict);
	});

	test('start nothing else', () => {
		expect(executions).toBe(cases.reduce((sum, { verdict }) => sum + verdict[1], 0));
	});
});
