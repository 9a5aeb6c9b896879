import { pick } from 'lodash';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { flagField } from '../../parameters/fields';
import type { Read } from '../../parameters/read';
import { flag } from '../../parameters/schemas';

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

const simplify = flagField(
	'simplify',
	'Simplify',
	'Whether to return a simplified version of the response instead of the raw data',
);

/** The parameter `simplify`; on for a tool, whose model would read every transcript. */
export const simplifyFields: INodeProperties[] = [
	{ ...simplify, displayOptions: { hide: { '@tool': [true] } } },
	{ ...simplify, default: true, displayOptions: { show: { '@tool': [true] } } },
];

/** Makes of a call-log entry what comes out. */
export function simplifier(read: Read): (entry: IDataObject) => IDataObject {
	return read('simplify', flag) ? (entry) => pick(entry, kept) : (entry) => entry;
}
