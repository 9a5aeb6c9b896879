import { createHmac } from 'node:crypto';
import { has, keys, some, uniq, uniqBy } from 'lodash';
import type { Delivery } from '../listener';
import { waitSeconds, type Json, type Seen } from '../probe';
import { registrationsIn } from '../registrations';
import { fitting, samplesOf, type Samples } from './fitting';

/** How events are signed, written and sent, as those of the probe's message show it. */
export function events({ webhooks, registrations, sent, problem }: Seen) {
	const waited = `waited ${waitSeconds} s for an event of the message`;
	const unsent = sent && registrations ? waited : 'needs --send-to and --listen';
	const reason = webhooks.problem ?? sent?.response.problem ?? problem ?? unsent;
	const deliveries = samplesOf('events', sent?.deliveries ?? [], { problem: reason });
	const contents = deliveries.all.map(({ event }) => event.data as Json);
	const hasReason = (data: Json) => keys(data).some((name) => /reason|error/i.test(name));
	const telling = contents.filter((data) => !has(data, 'from') || data.status === 'failed');
	const made = registrations?.made ?? [];
	const secrets = made.flatMap(({ body }) => registrationsIn(body).map(({ secret }) => secret));
	// Each registration has a secret of its own, so that one event to both differs in its signature.
	const distinct = uniqBy(deliveries.all, ({ body, signature }) => `${signature}\n${body}`);
	const isRepeated =
		uniq(secrets).length === secrets.length && distinct.length < deliveries.all.length;
	const order = fitting([{ ...deliveries, all: deliveries.all.slice(0, 1) }], {
		repeated: () => isRepeated,
		beforeResponse: () => some(deliveries.all, 'isBeforeResponse'),
	});
	return {
		signature: signatureOf(deliveries, secrets.map(String)),
		eventFields:
			contents.length > 0 && telling.length === 0
				? { how: 'needs a message that fails' }
				: fitting([{ ...deliveries, all: telling }], {
						all: (data) => has(data, 'from') && !hasReason(data),
						minimum: (data) => !has(data, 'from'),
						reason: (data) => has(data, 'from') && hasReason(data),
					}),
		eventOrder:
			order.setting === undefined && distinct.length > 0
				? { how: 'one message does not show it' }
				: order,
	};
}

function signatureOf(deliveries: Samples<Delivery>, secrets: string[]) {
	const digestsOf = ({ body }: Delivery, form: 'base64' | 'base64url' | 'hex') =>
		secrets.map((secret) => createHmac('sha256', secret).update(body).digest(form));
	const answer = fitting([deliveries], {
		hex: (one) => digestsOf(one, 'hex').includes(one.signature),
		base64: (one) => digestsOf(one, 'base64').includes(one.signature),
		base64url: (one) => digestsOf(one, 'base64url').includes(one.signature),
		prefixed: (one) =>
			digestsOf(one, 'hex').includes(one.signature.replace(/^sha256=/, '')) &&
			/^sha256=/.test(one.signature),
	});
	const [first] = deliveries.all;
	if (answer.setting !== undefined || !first) return answer;
	const hex = digestsOf(first, 'hex').find((one) => first.signature.includes(one));
	const around = hex && first.signature.replace(hex, 'HEX').replace(/\d/g, '0');
	return {
		how: `no setting fits: ${around && around.length < 40 ? around : 'no hex HMAC of the body'}`,
	};
}
