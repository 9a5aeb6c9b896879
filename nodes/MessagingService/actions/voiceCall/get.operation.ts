import { identity, omit } from 'lodash';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { Failure } from '../../api/failure';
import { lists } from '../../api/lists';
import { readNewest } from '../../api/newest';
import { locatorField } from '../../parameters/sharedFields';
import { flagField } from '../../parameters/fields';
import type { Read } from '../../parameters/read';
import { flag, requiredName } from '../../parameters/schemas';
import type { ItemOperation } from '../../operation';

/** What Simplify takes off a call-log entry (docs/service.md, section 4.14): a transcript can be long. */
const leftOut = ['type', 'status', 'route', 'transcript', 'updatedAt'];

const simplify = flagField('simplify', 'Simplify', {
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** The parameter `simplify`; on for a tool, whose model would read every transcript. */
export const simplifyFields: INodeProperties[] = [
	{ ...simplify, displayOptions: { hide: { '@tool': [true] } } },
	{ ...simplify, default: true, displayOptions: { show: { '@tool': [true] } } },
];

/** Makes of a call-log entry what comes out. */
export const simplifier = (read: Read): ((entry: IDataObject) => IDataObject) =>
	read('simplify', flag) ? (entry) => omit(entry, leftOut) : identity;

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
			readAll: async (call) => {
				const [entry] = await readNewest(call, lists.calls, {
					limit: Infinity,
					matches: (record) => isEntryOf(callId, record),
					isLast: () => true,
				});
				if (entry) return [shown(entry)];
				throw new Failure(`The call log shows no call with the ID ${callId}`, {
					outcome: 'rejected',
					description:
						'Check that it is the callId of Voice Call > Create, of the same account. Whether the log shows it is not documented: if it does not, look for the call with Voice Call > Get Many by phone number and time, or use Wait for Completion when you place it.',
				});
			},
		};
	},
};

/** Whether an entry is that of a call; where the log shows the call's id is open (docs/service.md, section 10.24). */
export const isEntryOf = (callId: unknown, entry: IDataObject): boolean =>
	Object.entries(entry).some(([key, id]) => /id$/i.test(key) && String(id) === String(callId));
