import {
	get,
	has,
	isEqual,
	isNil,
	map,
	mapValues,
	pick,
	some,
	sortBy,
	sum,
	uniq,
	values,
} from 'lodash';
import type { Reading } from '../client';
import {
	digitsOf,
	pageSize,
	recordsIn,
	waitSeconds,
	type Day,
	type Json,
	type Seen,
} from '../probe';
import { dayIn, millisecondsOf } from '../times';
import { fitting, samplesOf, type Answer, type Samples } from './fitting';
import { callsIn, isRejected, messagesIn } from './samples';

/** What lists contain, and how they are filtered and ordered. */
export function lists(seen: Seen) {
	const { tooLarge, found: searched, sent } = seen;
	const messages = messagesIn(seen);
	const calls = callsIn(seen);
	const sizes = tooLarge.filter((one) => one.problem === undefined || isRejected(one));
	const texts = messages.all.filter(({ type }) => type === 'text');
	const named = calls.all.filter((call) => has(call, 'callId'));
	const record = sent?.record ? [sent] : [];
	const noRecord = `waited ${waitSeconds} s for the record of the message`;
	return {
		listOrder: orderOf(seen),
		limits: fitting([samplesOf('lists with 101 entries', sizes, seen.messages)], {
			reject: isRejected,
			clamp: ({ body }) =>
				Number(get(body, 'limit') ?? get(body, 'pagination.pageSize')) === pageSize,
		}),
		counts: countsOf(seen),
		textRecords: fitting([samplesOf('texts', texts, messages)], {
			all: ({ providerMessageId: id }) => !isNil(id) && id !== '',
			withoutId: ({ providerMessageId: id }) => isNil(id) || id === '',
		}),
		callLogId:
			named.length > 0
				? fitting([samplesOf('calls', named)], { ownWithCallId: ({ id, callId }) => id !== callId })
				: { how: calls.problem ?? 'needs a paid call' },
		search: fitting([samplesOf('calls found by digits', searched ? [searched] : [], calls)], {
			anywhere: ({ digits, byPart }) => {
				const shown = recordsIn(byPart, 'data').map(digitsOf);
				return shown.length > 0 && shown.every((one) => one.includes(digits.slice(2, -2)));
			},
			whole: ({ digits, byPart, byAll }) =>
				byPart.problem === undefined &&
				recordsIn(byPart, 'data').length === 0 &&
				recordsIn(byAll, 'data').map(digitsOf).includes(digits),
		}),
		// The duration is 0 while a call lasts (docs/service.md, section 4.14).
		callSteps: some(calls.all, ({ callStatus, duration }) => callStatus === 'answered' && duration)
			? { setting: 'stayAnswered' as const, how: 'answered calls with a duration' }
			: { how: calls.problem ?? 'needs a paid call' },
		callDays: daysOf(seen, calls),
		recordDelay: sent
			? fitting(
					[
						samplesOf('record of the message', record, {
							problem: sent.response.problem ?? messages.problem ?? seen.problem ?? noRecord,
						}),
					],
					{ none: ({ found }) => found === 'atOnce', late: ({ found }) => found === 'later' },
				)
			: { how: messages.problem ?? 'needs --send-to' },
	};
}

/** Whether `total` and `stats` count all messages, when one status is requested. */
function countsOf({ ofStatus, messages }: Seen) {
	const { status = '', reading = messages } = ofStatus ?? {};
	const { total, stats } = { ...(reading.body as Json) };
	const counts = pick(stats, ['Sent', 'Delivered', 'Read', 'Failed']) as Record<string, number>;
	const all = sum(values(counts));
	const own = counts[status];
	const samples = ofStatus && reading.problem === undefined ? [ofStatus] : [];
	return fitting([samplesOf('messages of two statuses', samples, reading)], {
		mixed: () => total === own && all !== own,
		requested: () => total === own && all === own,
		all: () => total !== own && total === all,
	});
}

/** Hours that the assumed time zones are ahead of UTC. */
const zones = { utc: 0, india: 5.5, hawaii: -10 };

/** The zone in whose days the service finds calls. */
function daysOf({ days }: Seen, calls: Samples<Json>) {
	// Of more, some are on a further page.
	const read = days.filter(
		({ reading: { problem, body } }) =>
			problem === undefined && Number(get(body, 'pagination.total')) <= pageSize,
	);
	const isIn =
		(hours: number) =>
		({ day, call: { id, createdAt }, reading }: Day) =>
			some(recordsIn(reading, 'data'), { id }) === (dayIn(createdAt, hours) === day);
	const kind = 'days of early and late calls';
	return fitting([samplesOf(kind, read, calls)], mapValues(zones, isIn));
}

/** Fewer different values could be in an order by chance. */
const enough = 5;

type Order = 'byChange' | 'byId' | 'newestFirst' | 'oldestFirst';

/** The only order that the messages are in, or the calls if messages don't show it. */
function orderOf({ messages, calls }: Seen): Answer<Order> {
	const ofMessages = orderIn('messages', recordsIn(messages, 'messages'), 'sentAt', messages);
	const ofCalls = orderIn('calls', recordsIn(calls, 'data'), 'createdAt', calls);
	if (ofMessages.setting === undefined && ofCalls.setting === undefined)
		return { how: uniq([ofMessages.how, ofCalls.how]).join('; ') };
	const [known, other] =
		ofMessages.setting === undefined ? [ofCalls, ofMessages] : [ofMessages, ofCalls];
	return [undefined, known.setting].includes(other.setting)
		? known
		: { how: 'messages and calls have different orders' };
}

function orderIn(kind: string, records: Json[], field: string, reading: Reading): Answer<Order> {
	// A failed message may have no time.
	const times = records.map((one) => millisecondsOf(one[field])).filter(Number.isFinite);
	const changes = records.map(({ updatedAt }) => millisecondsOf(updatedAt));
	const ids = map(records, 'id');
	const orders = { newestFirst: times, oldestFirst: times, byId: ids, byChange: changes };
	const isIn = (all: unknown[], isFalling: boolean) => {
		const sorted = sortBy(all);
		return isEqual(isFalling ? sorted.reverse() : sorted, all);
	};
	const answer = fitting([samplesOf(kind, records.length > 0 ? [records] : [], reading)], {
		newestFirst: () => isIn(times, true),
		oldestFirst: () => isIn(times, false),
		byId: () => isIn(ids, false),
		byChange: () => isIn(changes, true),
	});
	return answer.setting === undefined || uniq(orders[answer.setting]).length >= enough
		? answer
		: { how: `too few ${kind}` };
}
