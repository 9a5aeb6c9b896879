import { randomUUID } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { DateTime } from 'luxon';
import { attachN8n, waitFor } from '../../harness';
import {
	deliver,
	messageEvent,
	signatureHeader,
	signatureOf,
	type Delivery,
} from '../../harness/deliver';
import { writeTable } from '../../harness/docs';
import { signed, useTriggers } from '../support/e2e/triggers';

const n8n = attachN8n();
const triggers = useTriggers(() => n8n);

type Event = Omit<ReturnType<typeof messageEvent>, 'timestamp'> & { timestamp?: unknown };

/** Status and number of executions. */
type Verdict = [status: number, executions: number];
type Make = (body: string, secret: string) => Delivery;

/** Options of the triggers that get the deliveries. */
const options = {
	plain: {},
	filtered: { templateNames: ['order_update'] },
	fresh: { maxAgeSeconds: 300 },
};
type Trigger = keyof typeof options;

/** One way to deliver, with what must come of it. */
interface Case {
	name: string;
	verdict: Verdict;
	make: Make;
	/** What becomes of a good event before it is delivered. */
	change: (event: Event) => Event;
	trigger: Trigger;
}

const cases: Case[] = [];

function add(
	name: string,
	verdict: Verdict,
	make: Make,
	{
		change = (event: Event): Event => event,
		trigger = 'plain',
	}: { change?: Case['change']; trigger?: Trigger } = {},
): void {
	cases.push({ name, verdict, make, change, trigger });
}

const starts: Verdict = [200, 1];
const refused: Verdict = [401, 0];
const ignored: Verdict = [200, 0];
const invalid: Verdict = [400, 0];

const signature = (
	name: string,
	verdict: Verdict,
	sign: (body: string, secret: string) => string | string[],
) =>
	add(name, verdict, (body, secret) =>
		signed(body, secret, { [signatureHeader]: sign(body, secret) }),
	);
signature('good signature in hex', starts, signatureOf);
signature('good signature in hex with capitals', starts, (body, secret) =>
	signatureOf(body, secret).toUpperCase(),
);
signature('good signature in base64', starts, (body, secret) =>
	signatureOf(body, secret, 'base64'),
);
signature(
	'good signature in hex with prefix',
	starts,
	(body, secret) => `sha256=${signatureOf(body, secret)}`,
);
signature(
	'good signature in base64 with prefix',
	starts,
	(body, secret) => `sha256=${signatureOf(body, secret, 'base64')}`,
);

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

signature('wrong signature', refused, () => 'a'.repeat(64));
add('no signature', refused, (body) => ({ body }));
signature('empty signature', refused, () => '');
signature('truncated signature', refused, (body, secret) => signatureOf(body, secret).slice(0, 63));
signature('repeated signature', refused, (body, secret) => [
	signatureOf(body, secret),
	signatureOf(body, secret),
]);
signature('over-long signature', refused, (body, secret) => signatureOf(body, secret).repeat(60));
signature('signature of another body', refused, (_body, secret) => signatureOf('{}', secret));
signature("signature with another webhook's secret", refused, (body) =>
	signatureOf(body, randomUUID()),
);
add('body changed by one byte', refused, (body, secret) => ({
	...signed(body, secret),
	body: body.replace('order_update', 'order_updatf'),
}));
add('body written again with spaces', refused, (body, secret) => ({
	...signed(body, secret),
	body: JSON.stringify(JSON.parse(body), null, 1),
}));
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
raw('signed, not an object', invalid, '[]', json);
raw('signed, empty body', invalid, '', json);
raw('signed, empty body without a content type', invalid, '');
raw('signed, object without an event', invalid, '{"data":{}}', json);

const changed = (name: string, verdict: Verdict, change: Case['change'], trigger?: Trigger) =>
	add(name, verdict, signed, { change, trigger });
changed('signed, unknown event', ignored, (event) => ({ ...event, event: 'message.clicked' }));
changed('signed, event not subscribed', ignored, (event) => ({ ...event, event: 'message.read' }));
changed('signed, no timestamp', starts, ({ event, data }) => ({ event, data }));
changed('signed, timestamp that is none', starts, (event) => ({ ...event, timestamp: 'soon' }));
changed(
	'signed, another template than asked for',
	ignored,
	(event) => ({ ...event, data: { ...event.data, templateName: 'another' } }),
	'filtered',
);

const timed = (name: string, verdict: Verdict, spell: (now: DateTime) => unknown) =>
	changed(
		name,
		verdict,
		(event) => ({ ...event, timestamp: spell(DateTime.utc().setZone('utc+5:30')) }),
		'fresh',
	);
for (const [name, form] of [
	['with a space', 'yyyy-MM-dd HH:mm:ss ZZ'],
	['in basic format', "yyyyMMdd'T'HHmmssZZZ"],
	['with a comma', "yyyy-MM-dd'T'HH:mm:ss,SSSZZ"],
	['as a week date', "kkkk-'W'WW-c'T'HH:mmZZ"],
	['as an ordinal date', "yyyy-ooo'T'HH:mm:ssZZ"],
] as Array<[string, string]>) {
	timed(`signed, Max Age, fresh, timestamp ${name}`, starts, (now) => now.toFormat(form));
}
timed('signed, Max Age, fresh, timestamp with the offset +00', starts, (now) =>
	now.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss'+00'"),
);
timed('signed, older than Max Age', invalid, (now) => now.minus({ hours: 1 }).toISO());
timed('signed, Max Age, timestamp missing', invalid, () => undefined);
timed('signed, Max Age, timestamp that is none', invalid, () => 'soon');
add('GET instead of POST', [404, 0], () => ({ method: 'GET' }));

describe('verdicts', () => {
	const found = new Map<string, Verdict>();
	let executions = 0;

	beforeAll(async () => {
		for (const trigger of Object.keys(options) as Trigger[]) await deliverAll(trigger);
	});

	/** Delivers the cases of a trigger, and counts what they have started. */
	async function deliverAll(trigger: Trigger): Promise<void> {
		const { id, webhookId } = await triggers.create({ options: options[trigger] });
		await n8n.publish(id);
		const { url, secret } = await triggers.only(webhookId);
		const own = cases.filter((one) => one.trigger === trigger);
		const responses: Array<{ name: string; status: number; messageId: string }> = [];
		for (const { name, make, change } of own) {
			const event = messageEvent();
			const { status } = await deliver(url, make(JSON.stringify(change(event)), secret));
			responses.push({ name, status, messageId: event.data.providerMessageId });
		}
		// One more good event: whatever came before it has become an execution by then, if at all. It may
		// end before them.
		const last = messageEvent();
		await deliver(url, signed(JSON.stringify(last), secret));
		const started = await waitFor('the execution of the last event', async () => {
			if ((await n8n.countExecutions(id, 'running')) > 0) return undefined;
			const texts = (await n8n.executions(id)).map((one) => JSON.stringify(one.json('Then')));
			return texts.some((text) => text.includes(last.data.providerMessageId)) ? texts : undefined;
		});
		for (const { name, status, messageId } of responses) {
			found.set(name, [status, started.filter((text) => text.includes(messageId)).length]);
		}
		executions += started.length - 1;
		await n8n.unpublish(id);
	}

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

test('the payload is passed on as it came', async () => {
	const { id, webhookId } = await triggers.create();
	await n8n.publish(id);
	const { url, secret } = await triggers.only(webhookId);
	const payload = messageEvent();
	const { status } = await deliver(url, signed(JSON.stringify(payload), secret));
	expect(status).toBe(200);
	const [execution] = await n8n.waitForExecutions(id, 1);
	expect(execution?.json('Then')).toEqual([payload]);
	await n8n.unpublish(id);
});
