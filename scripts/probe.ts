import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import axios from 'axios';
import {
	difference,
	find,
	isArray,
	isEqual,
	keys,
	map,
	minBy,
	orderBy,
	pickBy,
	sum,
	uniq,
} from 'lodash';
import { questions, type Assumptions } from '../sandbox';

/** What a service shows of the open questions (docs/service.md, section 10), for `npm run sandbox -- --assume FILE`. */

type Name = keyof Assumptions;
type Json = Record<string, unknown>;
type Answer = { setting?: string; how: string };
type Answers = Partial<Record<Name, Answer>>;

interface Options {
	baseUrl: string;
	key: string;
	/** Own number that gets one paid template. */
	sendTo?: string;
	template?: string;
	/** Public address that leads to `port` of this computer, for the events of that message. */
	listen?: string;
	port?: number;
}

const listIn = (body: Json, key: string) => (body[key] ?? []) as Json[];
const digitsOf = (value: unknown) => String(value).replace(/\D/g, '');
const because = (setting: string | undefined, how: string): Answer => ({ setting, how });
/** The setting whose test holds, if a sample was there to be tested. */
const choose = (how: string, sample: unknown, tests: Record<string, boolean>): Answer => {
	const fitting = sample === undefined ? [] : keys(pickBy(tests));
	return because(fitting.length === 1 ? fitting[0] : undefined, how);
};

/** Milliseconds of a time in any form; without a zone it counts as UTC. */
function millisecondsIn(time: unknown): number {
	const iso = String(time)
		.replace(' ', 'T')
		.replace(/([+-]\d\d)$/, '$1:00');
	return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(iso) ? iso : `${iso}Z`);
}

const hours = { utc: 0, india: 5.5, hawaii: -10 };
const dayIn = (time: unknown, zone: number) =>
	new Date(millisecondsIn(time) + zone * 3_600_000).toISOString().slice(0, 10);

/** Fields that docs/service.md names, in sections 2 and 4. */
const documented =
	`success error user name email role balance chatBalance emailBalance voiceMins leadBalance createdAt configs id
	phoneNumber phoneNumberId wabaId qualityRating isDefault total limit offset stats messages providerMessageId
	content to status type sentAt updatedAt Sent Delivered Read Failed data pagination page pageSize totalPages
	phone duration cost callStatus route campaignName transcript callId`.split(/\s+/);

/** All names and values in a body. */
const partsOf = (body: unknown): Array<[string, unknown]> =>
	Object.entries((body ?? {}) as Json).flatMap(([name, value]): Array<[string, unknown]> => [
		[isArray(body) ? 'success' : name, value],
		...(typeof value === 'object' ? partsOf(value) : []),
	]);

/** Asks a service everything that it shows; without `sendTo`, with free reads alone. */
export async function probe({ baseUrl, key, ...options }: Options): Promise<Answers> {
	const api = axios.create({
		...{ baseURL: baseUrl, headers: { 'x-api-key': key }, validateStatus: () => true },
		...{ maxRedirects: 0, timeout: 60_000 },
	});
	const clocks: Array<{ ahead: number; took: number }> = [];
	const get = async (path: string, params: Json = {}) => {
		const before = Date.now();
		const { status, data, headers } = await api.get<Json>(path, { params });
		const took = Date.now() - before;
		// `Date` has whole seconds.
		clocks.push({ ahead: Date.parse(String(headers.date)) + 500 - before - took / 2, took });
		return { isOk: status === 200 && data.success !== false, status, body: data };
	};
	const account = await get('/balance');
	if (!account.isOk) throw new Error(`GET /balance: status ${account.status}`);
	const configs = await get('/chat/configs');
	const page = await get('/chat/campaigns', { limit: 100 });
	const log = await get('/voice/call-logs', { pageSize: 100 });
	const hooks = await get('/chat/webhooks');
	const [number] = listIn(configs.body, 'configs');
	const messages = listIn(page.body, 'messages');
	const calls = listIn(log.body, 'data');
	const [message] = messages;
	const [call] = calls;
	const shownChat = number?.phoneNumber ?? message?.to;
	const time = String(number?.createdAt ?? message?.sentAt ?? call?.createdAt);
	const hasZone = /(Z|[+-]\d\d(:?\d\d)?)$/.test(time);
	const clock = minBy(clocks, 'took');
	const ahead = (clock?.ahead ?? NaN) / 1_000;
	const all = partsOf([account.body, configs.body, page.body, log.body]);
	const extra = difference(map(all, '0') as string[], documented);
	const isEmptyNull = all.some(([name, value]) => value === null && name !== 'sentAt');
	const tooMany = await get('/chat/campaigns', { limit: 101 });
	const wrong = await get('/chat/campaigns', { status: 'none' });
	const isBare = isArray(hooks.body);
	const wrapped = hooks.body.data as Json | null | undefined;
	const inData = wrapped && !isArray(wrapped);
	const named = isBare
		? hooks.body
		: (hooks.body.webhooks ?? (inData ? wrapped.webhooks : wrapped));
	const [hook] = (named ?? hooks.body.items ?? []) as Json[];
	const textMessage = find(messages, { type: 'text' });
	const failed = messages.find(({ status }) => /^failed$/i.test(String(status)));
	const answers: Answers = {
		balance: because('user' in account.body ? 'nested' : 'flat', 'GET /balance'),
		chatNumbers: choose('GET /chat/configs', shownChat, {
			plus: String(shownChat).startsWith('+'),
			digits: /^\d/.test(String(shownChat)),
		}),
		times: choose(`form ${time.replace(/\d/g, '0')}`, time, {
			milliseconds: /T.*\.\d{3}Z$/.test(time),
			wholeSeconds: /T\d\d:\d\d:\d\dZ$/.test(time),
			microseconds: /T.*\.\d{6}Z$/.test(time),
			shortOffset: /T.*[+-]\d\d$/.test(time),
			spaceInsteadOfT: /\d \d.*Z$/.test(time),
		}),
		failedTime: choose('a message that failed', failed, {
			null: failed?.sentAt === null,
			time: typeof failed?.sentAt === 'string',
		}),
		clock: choose(`${ahead.toFixed(1)} s ahead`, clock, {
			untold: Number.isNaN(ahead),
			same: Math.abs(ahead) <= 1,
			behind2: ahead < -1 && ahead > -46,
			behind90: ahead <= -46,
			ahead90: ahead >= 46,
		}),
		ids: choose('id of a record', message ?? call, {
			number: typeof (message ?? call)?.id === 'number',
			text: typeof (message ?? call)?.id === 'string',
		}),
		statusCase: choose('status of a message', message, {
			title: /^[A-Z][a-z]+$/.test(String(message?.status)),
			lower: /^[a-z]+$/.test(String(message?.status)),
			upper: /^[A-Z]+$/.test(String(message?.status)),
		}),
		fields: choose(uniq(extra).join(', ') || 'no others', message ?? call, {
			more: extra.length > 0,
			nulls: extra.length === 0 && isEmptyNull,
			documented: extra.length === 0 && !isEmptyNull && all.some(([, value]) => value === ''),
		}),
		successField: because('success' in configs.body ? 'present' : 'absent', 'GET /chat/configs'),
		webhookList: choose('GET /chat/webhooks', hooks.body, {
			bare: isBare,
			webhooks: 'webhooks' in hooks.body,
			data: 'data' in hooks.body && !inData,
			nested: Boolean(inData),
			otherKey: !isBare && !('webhooks' in hooks.body) && !('data' in hooks.body),
		}),
		webhookFields: choose('a registered webhook', hook, {
			all: Boolean(hook && 'events' in hook),
			withoutEvents: Boolean(hook && !('events' in hook) && 'isActive' in hook),
			idAndUrl: isEqual(difference(keys(hook), ['id', 'url', 'more', 'tags']), []),
		}),
		limits: because(tooMany.isOk ? 'clamp' : 'reject', 'limit=101'),
		failures: choose('a status that does not exist', wrong.isOk ? undefined : wrong, {
			status: wrong.status === 400,
			success: wrong.status === 200,
		}),
		listOrder: orderOf(messages),
		textRecords: choose('a record of a text', textMessage, {
			all: Boolean(textMessage?.providerMessageId),
			withoutId: !textMessage?.providerMessageId,
		}),
		callLogId: choose('a field callId', call && 'callId' in call ? call : undefined, {
			ownWithCallId: true,
		}),
		voiceNumbers: choose('phone of a call', call, {
			plus: String(call?.phone).startsWith('+'),
			digits: /^\d/.test(String(call?.phone)),
		}),
	};
	const stats = (page.body.stats ?? {}) as Record<string, number>;
	const total = Number(page.body.total);
	const status = keys(stats).find((one) => Number(stats[one]) > 0 && Number(stats[one]) < total);
	if (status !== undefined) {
		const { body } = await get('/chat/campaigns', { status, limit: 1 });
		const counted = sum(Object.values(body.stats as Json).filter(Number.isInteger));
		answers.counts = choose(`status=${status}`, body, {
			all: body.total === total,
			mixed: body.total !== total && counted !== body.total,
			requested: body.total !== total && counted === body.total,
		});
	}
	if (call) {
		const part = digitsOf(call.phone).slice(-6);
		const { body } = await get('/voice/call-logs', { search: part });
		const isFound = listIn(body, 'data').length > 0;
		answers.search = because(isFound ? 'anywhere' : 'whole', 'the last six digits of a call');
		if (hasZone)
			answers.callDays = await zoneOf(calls, async (day) =>
				listIn((await get('/voice/call-logs', { from: day, to: day, pageSize: 100 })).body, 'data'),
			);
	}
	const { sendTo: phone, template: templateName, listen: url, port } = options;
	if (phone === undefined || templateName === undefined) return answers;
	const events: Array<{ body: string; signature: string; at: number }> = [];
	const server = http.createServer((request, response) => {
		const signature = String(request.headers['x-webhook-signature']);
		void text(request).then((body) => events.push({ body, signature, at: Date.now() }));
		request.once('end', () => response.end('{}'));
	});
	if (url !== undefined) await once(server.listen(port), 'listening');
	const register = async () =>
		await api.post<Json>('/chat/webhooks', { url, events: ['message.sent', 'message.failed'] });
	const made = url === undefined ? [] : [await register(), await register()];
	const own = map(made, 'data.webhook').filter(Boolean) as Json[];
	const { data: sent } = await api.post<Json>('/chat/send-template', { phone, templateName });
	const respondedAt = Date.now();
	const { providerMessageId } = sent;
	const isListed = async () =>
		find(listIn((await get('/chat/campaigns', { limit: 100 })).body, 'messages'), {
			providerMessageId,
		});
	const atOnce = await isListed();
	let record = atOnce;
	for (let tries = 0; !record && tries < 50; tries++) {
		await sleep(200);
		record = await isListed();
	}
	if (record && !hasZone) {
		const isNear = Math.abs(millisecondsIn(record.sentAt) - respondedAt) < 1_800_000;
		answers.times = because(isNear ? 'noZone' : 'noZoneLocal', 'the message sent');
	}
	answers.recordDelay = because(atOnce ? 'none' : 'late', 'the record of the message sent');
	if (url === undefined) return answers;
	await sleep(500);
	const listed = (await get('/chat/webhooks')).body;
	const ids = own.map(({ id }) => JSON.stringify(listed).includes(String(id)));
	answers.sameUrl = choose('registered twice', made, {
		reject: own.length === 1,
		second: isEqual(ids, [true, true]),
		replace: isEqual(ids, [false, true]),
	});
	for (const { id } of own) {
		const { status: deleted } = await api.delete('/chat/webhooks', { params: { id } });
		if (deleted === 404) continue;
		answers.deleteResponse = because(deleted === 204 ? 'empty' : 'body', 'DELETE /chat/webhooks');
	}
	const kept = JSON.stringify((await get('/chat/webhooks')).body).includes(
		String(own[own.length - 1]?.id),
	);
	answers.deleted = because(kept ? 'inactive' : 'gone', 'GET /chat/webhooks');
	server.close();
	const [event] = events;
	const signing = own.map(({ secret }) =>
		createHmac('sha256', String(secret)).update(event?.body ?? ''),
	);
	const digests = signing.map((hmac) => hmac.digest());
	const isForm = (write: (digest: Buffer) => string) =>
		digests.some((digest) => write(digest) === event?.signature);
	const data = event && ((JSON.parse(event.body) as Json).data as Json);
	answers.signature = choose('an event', event, {
		hex: isForm((digest) => digest.toString('hex')),
		base64: isForm((digest) => digest.toString('base64')),
		base64url: isForm((digest) => digest.toString('base64url')),
		prefixed: isForm((digest) => `sha256=${digest.toString('hex')}`),
	});
	answers.eventFields = choose('an event', data && !('from' in data) ? data : undefined, {
		minimum: true,
	});
	answers.eventOrder = choose('an event', event, {
		beforeResponse: Number(event?.at) < respondedAt,
		repeated:
			Number(event?.at) >= respondedAt && events.length > own.length - Number(ids[0] === false),
	});
	return answers;
}

/** The order that the messages are in, if they are in no other. */
function orderOf(messages: Json[]): Answer {
	const isIn = (by: string, direction: 'asc' | 'desc') =>
		isEqual(map(orderBy(messages, by, direction), 'id'), map(messages, 'id'));
	return choose(`${messages.length} messages`, messages[1], {
		newestFirst: isIn('sentAt', 'desc'),
		oldestFirst: isIn('sentAt', 'asc'),
		byId: isIn('id', 'asc'),
		byChange: isIn('updatedAt', 'desc'),
	});
}

/** The zone in whose days the service finds calls, if it finds them in no other's. */
async function zoneOf(calls: Json[], callsOn: (day: string) => Promise<Json[]>): Promise<Answer> {
	let zones = keys(hours) as Array<keyof typeof hours>;
	for (const { id, createdAt } of calls.slice(0, 20)) {
		const isLeft: Array<keyof typeof hours> = [];
		for (const zone of zones) {
			const found = await callsOn(dayIn(createdAt, hours[zone]));
			if (found.some((one) => one.id === id)) isLeft.push(zone);
		}
		zones = isLeft;
		if (zones.length < 2) break;
	}
	return because(zones.length === 1 ? zones[0] : undefined, 'calls of a day');
}

async function main(): Promise<void> {
	const text = { type: 'string' } as const;
	const { values } = parseArgs({
		options: {
			...{ 'base-url': text, key: text, 'send-to': text, template: text },
			...{ listen: text, port: text, out: { ...text, default: 'assumptions.json' } },
		},
	});
	const { 'base-url': baseUrl = '', key = '', 'send-to': sendTo, port, out, ...rest } = values;
	const answers = await probe({ baseUrl, key, sendTo, port: Number(port ?? 4020), ...rest });
	console.table(
		map(questions, ({ section }, name) => {
			const { setting = '?', how = 'not asked' } = answers[name as Name] ?? {};
			return { question: name, section, answer: setting, how };
		}),
	);
	const settings = pickBy(Object.fromEntries(map(answers, (one, name) => [name, one?.setting])));
	await writeFile(out, `${JSON.stringify(settings, null, '\t')}\n`);
	console.log(`Start the same sandbox: npm run sandbox -- --assume ${out}`);
}

if (require.main === module)
	main().catch((error: Error) => {
		// axios puts the key into its errors, but not into their messages.
		console.error(error.message);
		process.exit(1);
	});
