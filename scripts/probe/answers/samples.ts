import { compact, get, uniqBy } from 'lodash';
import type { Reading } from '../client';
import { recordsIn, type Json, type Seen } from '../probe';
import { samplesOf, type Samples } from './fitting';

/** The connected numbers. */
export const numbersIn = ({ numbers }: Seen): Samples<Json> =>
	samplesOf('numbers', recordsIn(numbers, 'configs'), numbers);

/** The calls of the first page. */
export const callsIn = ({ calls }: Seen): Samples<Json> =>
	samplesOf('calls', recordsIn(calls, 'data'), calls);

/** All message records that were read. */
export function messagesIn({ messages, ofStatus, sent }: Seen): Samples<Json> {
	const pages = compact([messages, ofStatus?.reading]);
	const records = pages.flatMap((page) => recordsIn(page, 'messages'));
	return samplesOf('messages', uniqBy([...records, ...compact([sent?.record])], 'id'), messages);
}

/** The body of a success as the only sample. */
export const bodyOf = (kind: string, reading: Reading): Samples<Json> =>
	samplesOf(kind, reading.problem === undefined ? [reading.body as Json] : [], reading);

/** Whether a request was rejected for its parameters (docs/service.md, section 10.40). */
export const isRejected = ({ status, body }: Reading): boolean =>
	status === 400 || (status === 200 && get(body, 'success') === false);

/** Tests the beginning of a text. */
export const startsWith = (pattern: RegExp) => (value: unknown) => pattern.test(String(value));
