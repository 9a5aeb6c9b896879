import { API_CALL_TYPE, COSTS, type CallStatus, type CarrierRoute } from '../documented';
import type { SeededRandom } from '../random';

/** Outbound number of each voice route, all owned by the account. */
export const VOICE_NUMBERS: Record<CarrierRoute, string> = {
	carrier_in1: '918040001234',
	carrier_us1: '14155550123',
	carrier_in2: '918040005678',
};

/** Dashboard labels of the call statuses. */
const CALL_LABELS: Record<CallStatus, string> = {
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
	readonly logId: string;
	readonly to: string;
	readonly from: string;
	readonly route: CarrierRoute;
	readonly recipientName: string | undefined;
	readonly type: string;
	readonly createdAt: number;
	callStatus: CallStatus;
	duration: number;
	transcript: string;
	updatedAt: number;
}

export type CallDraft = Pick<Call, 'to' | 'from' | 'route' | 'recipientName' | 'transcript'> & {
	/** A call placed through the API without one. */
	type?: string | undefined;
};

export interface NumberStyle {
	callLogId: 'callId' | 'own';
	voiceNumbers: 'plus' | 'digits';
}

/** An item of GET /voice/call-logs (docs/service.md, section 4.14). */
export interface CallRecord {
	id: string;
	phone: string;
	type: string;
	duration: number;
	cost: number;
	status: string;
	callStatus: CallStatus;
	route: CarrierRoute;
	campaignName: string;
	transcript: string;
	createdAt: string;
	updatedAt: string;
}

/** A number in the configured style. */
export function writeNumber(digits: string, style: NumberStyle): string {
	return style.voiceNumbers === 'plus' ? `+${digits}` : digits;
}

export function callRecord(call: Call, style: NumberStyle): CallRecord {
	const phone = writeNumber(call.to, style);
	return {
		id: style.callLogId === 'callId' ? call.callId : call.logId,
		phone,
		type: call.type,
		duration: call.duration,
		cost: COSTS.callMinutes,
		status: CALL_LABELS[call.callStatus],
		callStatus: call.callStatus,
		route: call.route,
		campaignName: call.recipientName ?? phone,
		transcript: call.transcript,
		createdAt: new Date(call.createdAt).toISOString(),
		updatedAt: new Date(call.updatedAt).toISOString(),
	};
}

/** All calls in the order of placing. */
export class Calls {
	private readonly calls: Call[] = [];

	constructor(private readonly random: SeededRandom) {}

	/** Records a call as initiated. */
	add({ type = API_CALL_TYPE, ...draft }: CallDraft, createdAt: number): Call {
		const call: Call = {
			callId: `call_${this.random.hex(12)}`,
			logId: this.random.uuid(),
			type,
			...draft,
			createdAt,
			callStatus: 'initiated',
			duration: 0,
			updatedAt: createdAt,
		};
		this.calls.push(call);
		return call;
	}

	find(id: string): Call | undefined {
		return this.calls.find((one) => one.callId === id || one.logId === id);
	}

	all(): readonly Call[] {
		return this.calls;
	}
}
