import { pick } from 'lodash';
import type { Assumptions } from '../assumptions';
import { writeCallNumber } from '../dialect';
import { costs, type CallStatus, type CarrierRoute } from '../documented';
import type { SeededRandom } from '../random';

/** Outbound number of each voice route, all owned by the account. */
export const voiceNumbers: Record<CarrierRoute, string> = {
	carrier_in1: '441632960234',
	carrier_us1: '14155550123',
	carrier_in2: '441632960678',
};

/** Dashboard labels of the call statuses. */
const labels: Record<CallStatus, string> = {
	initiated: 'Started',
	'in-progress': 'Started',
	answered: 'Started',
	success: 'Success',
	'no-answer': 'Failed',
	failed: 'Failed',
};

/** A voice call with its call-log entry; numbers are digits. */
export interface Call {
	readonly callId: string;
	/** Of the call-log entry. */
	readonly id: string;
	readonly to: string;
	readonly from: string;
	readonly route: CarrierRoute;
	readonly recipientName?: string;
	readonly createdAt: string;
	callStatus: CallStatus;
	duration: number;
	transcript: string;
	updatedAt: string;
}

export type CallDraft = Pick<Call, 'to' | 'from' | 'route' | 'recipientName' | 'transcript'>;

/** An item of GET /voice/call-logs (docs/service.md, section 4.14). */
export function callRecord(call: Call, assumptions: Assumptions) {
	const { callLogId } = assumptions;
	const phone = writeCallNumber(call.to, assumptions);
	return {
		...pick(call, ['duration', 'callStatus', 'route', 'transcript', 'createdAt', 'updatedAt']),
		id: callLogId === 'callId' ? call.callId : call.id,
		...(callLogId === 'ownWithCallId' ? { callId: call.callId } : {}),
		phone,
		type: 'API Voice Call',
		cost: costs.callMinutes,
		status: labels[call.callStatus],
		campaignName: call.recipientName ?? phone,
	};
}

/** A call as it is placed. */
export const newCall = (random: SeededRandom, draft: CallDraft, createdAt: string): Call => ({
	callId: `call_${random.hex(12)}`,
	id: random.uuid(),
	...draft,
	createdAt,
	callStatus: 'initiated',
	duration: 0,
	updatedAt: createdAt,
});
