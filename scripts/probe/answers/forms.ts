import {
	compact,
	difference,
	get,
	has,
	isNumber,
	isPlainObject,
	isString,
	map,
	uniq,
} from 'lodash';
import type { Json, Seen } from '../probe';
import { registrationsIn } from '../registrations';
import { millisecondsOf } from '../times';
import { fitting, samplesOf, valuesOf, type Answer } from './fitting';
import { bodyOf, callsIn, isRejected, messagesIn, numbersIn, startsWith } from './samples';

/** How the service writes bodies, numbers, times and failures. */
export function forms(seen: Seen) {
	const messages = messagesIn(seen);
	const calls = callsIn(seen);
	const failed = messages.all.filter(({ status }) => /^failed$/i.test(String(status)));
	const rejected = [...seen.tooLarge, ...seen.invalid].filter(isRejected);
	return {
		balance: fitting([bodyOf('GET /balance', seen.balance)], {
			nested: ({ user }) => isPlainObject(user),
			flat: (body) => has(body, 'chatBalance'),
		}),
		chatNumbers: fitting([valuesOf(numbersIn(seen), 'phoneNumber'), valuesOf(messages, 'to')], {
			digits: startsWith(/^\d/),
			plus: startsWith(/^\+/),
		}),
		voiceNumbers: fitting([valuesOf(calls, 'phone')], {
			plus: startsWith(/^\+/),
			digits: startsWith(/^\d/),
		}),
		times: timesOf(seen),
		failedTime: fitting([samplesOf('failed messages', failed, messages)], {
			time: ({ sentAt }) => isString(sentAt),
			null: ({ sentAt }) => sentAt === null,
		}),
		clock: clockOf(seen),
		ids: fitting([valuesOf(messages, 'id'), valuesOf(calls, 'id')], {
			text: isString,
			number: isNumber,
		}),
		statusCase: fitting([valuesOf(messages, 'status')], {
			title: startsWith(/^[A-Z][a-z]+$/),
			lower: startsWith(/^[a-z]+$/),
			upper: startsWith(/^[A-Z]+$/),
		}),
		fields: fieldsOf(seen),
		successField: fitting(
			[bodyOf('GET /chat/configs', seen.numbers), bodyOf('GET /chat/campaigns', seen.messages)],
			{ absent: (body) => !has(body, 'success'), present: (body) => has(body, 'success') },
		),
		failures: fitting([samplesOf('rejected requests', rejected, seen.messages)], {
			status: ({ status }) => status === 400,
			success: ({ status }) => status === 200,
		}),
	};
}

/** Fields with times, of any record. */
const timeFields = ['createdAt', 'sentAt', 'updatedAt'];

/** Tolerance for the service's clock, in hours. */
const nearHours = 0.25;

function timesOf(seen: Seen) {
	const { balance, registrations, sent } = seen;
	const made = (registrations?.made ?? []).flatMap(({ body, at }) =>
		registrationsIn(body).map(({ createdAt }) => ({ time: createdAt, at })),
	);
	const fresh = [
		...made,
		...(isString(sent?.record?.sentAt) ? [{ time: sent.record.sentAt, at: sent.response.at }] : []),
	];
	const records = [
		...compact([get(balance.body, 'user') as Json | undefined]),
		...[numbersIn, messagesIn, callsIn].flatMap((records) => records(seen).all),
	];
	const all = records.flatMap((one) => timeFields.map((name) => get(one, name) as unknown));
	const times = [...all, ...map(fresh, 'time')].filter(isString);
	const isIn = (hours: number) =>
		fresh.length > 0 &&
		fresh.every(({ time, at }) => {
			const ahead = (millisecondsOf(time) - at) / 3_600_000;
			return Math.abs(ahead - hours) < nearHours;
		});
	const isUnzoned = startsWith(/^\d{4}-\d\d-\d\d[T ][\d:.]+$/);
	const answer = fitting([samplesOf('times', times, balance)], {
		milliseconds: startsWith(/^\S+T[\d:]{8}\.\d{3}Z$/),
		wholeSeconds: startsWith(/^\S+T[\d:]{8}Z$/),
		microseconds: startsWith(/^\S+T[\d:]{8}\.\d{6}Z$/),
		shortOffset: startsWith(/^\S+T[\d:.]+[+-]\d\d$/),
		spaceInsteadOfT: startsWith(/^\S+ [\d:.]+Z$/),
		noZone: (time) => isUnzoned(time) && isIn(0),
		noZoneLocal: (time) => isUnzoned(time) && isIn(5.5),
	});
	if (answer.setting !== undefined || times.length === 0) return answer;
	if (times.every(isUnzoned) && fresh.length === 0)
		return { how: 'times without a zone: needs --listen or --send-to' };
	// Digits are account data; anything else that is no time is as well.
	const shapes = uniq(times.map((time) => time.replace(/\d/g, '0'))).filter((shape) =>
		/^[0TZ :.+-]{10,40}$/.test(shape),
	);
	return { how: `no setting fits: ${shapes.join(', ') || 'no ISO 8601'}` };
}

/** How far a service's clock may be off for a node's limits of a minute. */
const minute = 60_000;

function clockOf({ clock }: Seen): Answer<'ahead90' | 'behind2' | 'behind90' | 'same' | 'unknown'> {
	if (!clock) return { setting: 'unknown', how: 'no header Date' };
	const { least, most } = clock;
	const seconds = (least + most) / 2_000;
	const how = `${Math.abs(seconds).toFixed(1)} s ${seconds < 0 ? 'behind' : 'ahead'}`;
	return fitting([samplesOf(how, least <= most ? [clock] : [])], {
		same: () => least >= -1_000 && most <= 1_000,
		behind2: () => least > -minute && most <= -1_000,
		behind90: () => most <= -minute,
		ahead90: () => least >= minute,
	});
}

/** Fields that docs/service.md names in the bodies below, in sections 2 and 4. */
const documented =
	`success error user name email role balance chatBalance emailBalance voiceMins leadBalance
	createdAt configs id phoneNumber phoneNumberId wabaId qualityRating isDefault total limit offset stats messages
	providerMessageId content to status type sentAt updatedAt data pagination page pageSize totalPages phone duration
	cost callStatus route campaignName transcript callId`.split(/\s+/);

function fieldsOf(seen: Seen) {
	const { balance, numbers, messages, calls } = seen;
	const bodies = [balance, numbers, messages, calls].filter(({ problem }) => !problem);
	const inner = [get(balance.body, 'user'), get(calls.body, 'pagination')];
	const records = [numbersIn, messagesIn, callsIn].flatMap((records) => records(seen).all);
	const parts = [...map(bodies, 'body'), ...inner, ...records].filter(isPlainObject) as Json[];
	const names = parts.flatMap((part) => Object.keys(part));
	const others = uniq(difference(names, documented));
	const isNull = ([name, value]: [string, unknown]) =>
		value === null && name !== 'sentAt' && documented.includes(name);
	const nulls = uniq(parts.flatMap((part) => map(Object.entries(part).filter(isNull), '0')));
	const shown = others.filter((name) => /^[A-Za-z_]{1,30}$/.test(name));
	const how = [
		...(others.length > 0 ? [`${others.length} not documented: ${shown.join(', ')}`] : []),
		...(nulls.length > 0 ? [`null: ${nulls.join(', ')}`] : []),
	].join('; ');
	return fitting([samplesOf(how || 'responses', parts, balance)], {
		documented: () => others.length === 0 && nulls.length === 0,
		more: () => others.length > 0 && nulls.length === 0,
		nulls: () => others.length === 0 && nulls.length > 0,
	});
}
