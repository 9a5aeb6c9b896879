import { pick } from 'lodash';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Call } from '../../api/client';
import { Failure } from '../../api/failure';
import { lists } from '../../api/lists';
import { readNewest } from '../../api/newest';
import { locatorField } from '../../parameters/sharedFields';
import { flagField } from '../../parameters/fields';
import type { Read } from '../../parameters/read';
import { flag, requiredName } from '../../parameters/schemas';
import type { ItemOperation } from '../../operation';

/** What is left of a call-log entry (docs/service.md, section 4.14): a transcript can be long. */
const kept = [
	'id',
	'callId',
	'phone',
	'callStatus',
	'duration',
	'cost',
	'campaignName',
	'createdAt',
];

const simplify = flagField('simplify', 'Simplify', {
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** The parameter `simplify`; on for a tool, whose model would read every transcript. */
export const simplifyFields: INodeProperties[] = [
	{ ...simplify, displayOptions: { hide: { '@tool': [true] } } },
	{ ...simplify, default: true, displayOptions: { show: { '@tool': [true] } } },
];

/** Makes of a call-log entry what comes out. */
export function simplifier(read: Read): (entry: IDataObject) => IDataObject {
	return read('simplify', flag) ? (entry) => pick(entry, kept) : (entry) => entry;
}

/** GET /voice/call-logs: the entry of one call (docs/service.md, section 4.14). */
export const getCall: ItemOperation = {
	kind: 'item',
	value: 'get',
	name: 'Get',
	action: 'Get a voice call',
	description: 'Get the call-log entry of a call',
	fields: [
		locatorField('callId', 'Call', 'searchCalls', {
			placeholder: 'e.g. the callId of Voice Call > Create',
			description: 'One of the newest calls, or the callId that Voice Call > Create returned',
		}),
		...simplifyFields,
	],
	plan: (read) => {
		const callId = read('callId', requiredName);
		const shown = simplifier(read);
		return {
			request: { endpoint: lists.calls.endpoint },
			readAll: async (call) => [shown(await findCall(call, callId))],
		};
	},
};

/**
 * Whether a call-log entry is that of a call. Exactly one is, but the documentation does not tell
 * where the log shows the call's id (docs/service.md, section 10.24).
 */
export const isEntryOf = (callId: unknown, entry: IDataObject): boolean =>
	Object.entries(entry).some(([key, id]) => /id$/i.test(key) && String(id) === String(callId));

/**
 * The entry of a call, looked for from the newest on.
 *
 * @throws Failure when no entry shows the id
 */
async function findCall(call: Call, callId: string): Promise<IDataObject> {
	const [entry] = await readNewest(call, lists.calls, {
		limit: Infinity,
		matches: (record) => isEntryOf(callId, record),
		isLast: () => true,
	});
	if (entry) return entry;
	throw new Failure(`The call log shows no call with the ID ${callId}`, {
		outcome: 'rejected',
		description:
			'Check that it is the callId of Voice Call > Create, of the same account. Whether the log shows it is not documented: if it does not, look for the call with Voice Call > Get Many by phone number and time, or use Wait for Completion when you place it.',
	});
}
