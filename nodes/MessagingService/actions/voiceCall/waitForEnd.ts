import type { IDataObject } from 'n8n-workflow';
import { lists } from '../../api/lists';
import type { Plan, RecordLookUp } from '../../operation';
import { digitsOf } from '../../parameters/phone';
import type { Read } from '../../parameters/read';
import { withWait } from '../waiting';
import { isEntryOf } from './get.operation';

const endStatuses = ['success', 'no-answer', 'failed'];

/** Whether a call has ended: until then its duration is 0, whatever statuses come (docs/service.md, section 10.5). */
export const hasEnded = ({ callStatus, status, duration }: IDataObject): boolean =>
	endStatuses.includes(String(callStatus ?? status).toLowerCase()) || Number(duration) > 0;

/** The digits that a number ends in, with and without its country code. */
const lastDigits = (number: unknown): string => digitsOf(number).slice(-10);

/** Where the service shows calls (docs/service.md, section 4.14). */
export const callRecords: RecordLookUp = {
	list: lists.calls,
	recipientOf: ({ body }) => lastDigits(body?.to),
	recipientIn: ({ phone }) => lastDigits(phone),
};

/** Adds to a call that its end is waited for in the call log; throws InputFailure. */
export function waitingForEnd(read: Read, plan: Plan): Plan {
	const recipientName = plan.request.body?.recipientName;
	return withWait(read, plan, {
		records: callRecords,
		// Whether `search` finds a part of a number is not documented (docs/service.md, section 10.25).
		query: ({ to }) => (digitsOf(to) === '' ? undefined : { search: digitsOf(to) }),
		isNamed: (entry, { callId }) => isEntryOf(callId, entry),
		mayBe: ({ campaignName }) => recipientName === undefined || campaignName === recipientName,
		isDone: hasEnded,
		notYet: 'The call had not ended after',
		shown: (entry, { status: initialStatus }) => {
			const status = entry?.callStatus ?? initialStatus ?? null;
			return {
				status,
				...(initialStatus === undefined ? {} : { initialStatus }),
				callStatus: status,
				duration: entry?.duration ?? null,
				transcript: entry?.transcript ?? null,
				callLog: entry ?? null,
			};
		},
	});
}
