import { gzipSync } from 'node:zlib';
import { get, map } from 'lodash';
import { attachN8n, waitFor } from '../../harness';
import { deliver, messageEvent, signatureHeader, signatureOf, signed } from '../../harness/deliver';
import type { Delivery } from '../../harness/deliver';
import { useTriggers } from '../support/e2e/triggers';

const n8n = attachN8n();
const triggers = useTriggers(() => n8n);

type Make = (body: string, secret: string) => Delivery;

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

// Without its length in front, n8n reads such a body before it rejects it, and the response arrives.
const tooLarge =
	(contentType: string): Make =>
	(_body, secret) =>
		signed(Buffer.alloc(16 * 1024 * 1024 + 1, ' '), secret, {
			...{ 'content-type': contentType, 'content-length': undefined },
			'transfer-encoding': 'chunked',
		});

const formOf = (body: string) =>
	`--b\r\nContent-Disposition: form-data; name="event"\r\n\r\n${body}\r\n--b--\r\n`;

/** Deliveries that n8n itself reads first, with the status of the response. With 200, one execution starts. */
const cases: Array<[name: string, status: number, make: Make]> = [
	// n8n reads the bodies of some content types by itself, and leaves others to the node.
	['content type with a character set', 200, type(`${json}; charset=utf-8`)],
	['content type text/plain', 200, type('text/plain')],
	['content type application/octet-stream', 200, type('application/octet-stream')],
	['content type missing', 200, type()],
	[
		'gzip, signed over the unpacked body',
		200,
		(body, secret) => ({
			...signed(body, secret, { 'content-encoding': 'gzip' }),
			body: gzipSync(body),
		}),
	],
	['body with a byte order mark', 200, (body, secret) => signed(`\ufeff${body}`, secret)],
	['two signatures, one of them good', 200, twoSignatures],
	[
		'form with files, which n8n takes apart',
		401,
		(body, secret) =>
			signed(formOf(body), secret, { 'content-type': 'multipart/form-data; boundary=b' }),
	],
	[`signed, above n8n's 16 MB limit, ${json}`, 500, tooLarge(json)],
	["signed, above n8n's 16 MB limit, as bytes", 401, tooLarge('application/octet-stream')],
	['signed, not JSON', 422, raw('not JSON', json)],
	['signed, not JSON, as text', 400, raw('not JSON', 'text/plain')],
	['signed, empty body', 400, raw('', json)],
	['GET instead of POST', 404, () => ({ method: 'GET' })],
];

test('each delivery gets its status, and each good event starts one execution', async () => {
	const { id, registration } = await triggers.publish();
	const { url, secret } = registration;
	const statuses: Array<[string, number]> = [];
	const good: string[] = [];
	// One more good event: whatever came before it has become an execution by then, if at all.
	const last: (typeof cases)[number] = ['last', 200, signed];
	for (const [name, status, make] of [...cases, last]) {
		const event = messageEvent();
		if (status === 200) good.push(event.data.providerMessageId);
		const response = await deliver(url, make(JSON.stringify(event), secret));
		statuses.push([name, response.status]);
	}
	expect(statuses).toEqual([...cases, last].map(([name, status]) => [name, status]));
	const started = await waitFor('the execution of the last event', async () => {
		// It may end before the others.
		if ((await n8n.countExecutions(id, 'running')) > 0) return undefined;
		const ids = map(await n8n.executions(id), (one) =>
			get(one.json('Then')[0], ['data', 'providerMessageId']),
		);
		return ids.includes(good.at(-1)) && ids;
	});
	expect(started.sort()).toEqual(good.sort());
	await n8n.unpublish(id);
});
