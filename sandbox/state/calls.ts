import { pick } from 'lodash';
import type { Assumptions } from '../assumptions';
import { costs, type CallStatus, type CarrierRoute } from '../documented';
import type { SeededRandom } from '../random';
import { writeTime } from './records';

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

/** A voice call with its call-log entry; numbers are digits, times milliseconds since 1970. */
export interface Call {
	readonly callId: string;
	/** Of the call-log entry. */
	readonly id: string;
	readonly to: string;
	readonly from: string;
	readonly route: CarrierRoute;
	readonly recipientName: string | undefined;
	readonly createdAt: number;
	callStatus: CallStatus;
	duration: number;
	transcript: string;
	updatedAt: number;
}

export type CallDraft = Pick<Call, 'to' | 'from' | 'route' | 'recipientName' | 'transcript'>;

/** An item of GET /voice/call-logs (docs/service.md, section 4.14). */
export function callRecord(call: Call, { callLogId }: Assumptions) {
	const phone = `+${call.to}`;
	return {
		...pick(call, ['duration', 'callStatus', 'route', 'transcript']),
		id: callLogId === 'callId' ? call.callId : call.id,
		...(callLogId === 'ownWithCallId' ? { callId: call.callId } : {}),
		phone,
		type: 'API Voice Call',
		cost: costs.callMinutes,
		status: labels[call.callStatus],
		campaignName: call.recipientName ?? phone,
		createdAt: writeTime(call.createdAt),
		updatedAt: writeTime(call.updatedAt),
	};
}

/** The calls in the order of placing. */
export class Calls {
	readonly all: Call[] = [];

	constructor(private readonly random: SeededRandom) {}

	/** Records a call as initiated. */
	add(draft: CallDraft, createdAt: number): Call {
		const call: Call = {
			callId: `call_${this.random.hex(12)}`,
			id: this.random.uuid(),
			...draft,
			createdAt,
			callStatus: 'initiated',
			duration: 0,
			updatedAt: createdAt,
		};
		this.all.push(call);
		return call;
	}
}
