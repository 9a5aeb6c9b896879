import { createHmac } from 'node:crypto';
import { isArray, isEqual, isPlainObject, isString, mapValues } from 'lodash';
import type { Assumptions } from './assumptions';

/** How the service writes what docs/service.md leaves open: times, numbers, ids, further fields. */

/** Milliseconds by which the service's clock is ahead. */
const clocks: Record<Assumptions['clock'], number> = {
	...{ same: 0, behind2: -2_000, behind90: -90_000, ahead90: 90_000 },
	unknown: 0,
};

/** The present of the service, as records keep it. */
export const nowFor = ({ clock }: Assumptions): string =>
	new Date(Date.now() + clocks[clock]).toISOString();

const later = (time: string, hours: number) =>
	new Date(Date.parse(time) + hours * 3_600_000).toISOString();

/** A time in ISO 8601 with milliseconds and `Z`, in another form (docs/service.md, section 2.3). */
const timeForms: Record<Assumptions['times'], (time: string) => string> = {
	milliseconds: (time) => time,
	wholeSeconds: (time) => time.replace(/\.\d+/, ''),
	microseconds: (time) => time.replace('Z', '000Z'),
	shortOffset: (time) => later(time, 5).replace('Z', '+05'),
	spaceInsteadOfT: (time) => time.replace('T', ' '),
	noZone: (time) => time.replace('Z', ''),
	noZoneLocal: (time) => later(time, 5.5).replace('Z', ''),
};

const timeFields = new Set<string | undefined>([
	'createdAt',
	'sentAt',
	'updatedAt',
	'timestamp',
	'time',
]);

/** A chat number of digits. */
export const writeChatNumber = (digits: string, { chatNumbers }: Assumptions): string =>
	chatNumbers === 'plus' ? `+${digits}` : digits;

/** A call number of digits. */
export const writeCallNumber = (digits: string, { voiceNumbers }: Assumptions): string =>
	voiceNumbers === 'plus' ? `+${digits}` : digits;

/** The id of a message or a call; as a number, it has up to 15 digits. */
export const writeId = (id: string, { ids }: Assumptions): string | number =>
	ids === 'text' ? id : parseInt(id.replace(/^\w+_|\W/g, '').slice(0, 12), 16);

/** A message or a call with its ids as the service writes them. */
export const withIds = (record: object, assumptions: Assumptions): object =>
	mapValues(record, (value: unknown, name) =>
		name === 'id' || name === 'callId' ? writeId(String(value), assumptions) : value,
	);

/** A body of a response or an event, or a part of it, as the service writes it. */
export function written(value: unknown, assumptions: Assumptions, name?: string): unknown {
	const { times, fields } = assumptions;
	if (isString(value) && timeFields.has(name)) return timeForms[times](value);
	if (fields === 'nulls' && (value === '' || isEqual(value, []))) return null;
	if (isArray(value)) return value.map((one) => written(one, assumptions));
	if (!isPlainObject(value)) return value;
	const parts = mapValues(value as object, (part, key) => written(part, assumptions, key));
	return fields === 'more' ? { ...parts, more: { note: 'new' }, tags: [] } : parts;
}

/** The signature of a raw body: HMAC-SHA256 with the webhook's secret (docs/service.md, section 6.2). */
export function signatureFor(body: string, secret: string, { signature }: Assumptions): string {
	const digest = (form: 'base64' | 'base64url' | 'hex') =>
		createHmac('sha256', secret).update(body).digest(form);
	return signature === 'prefixed' ? `sha256=${digest('hex')}` : digest(signature);
}
