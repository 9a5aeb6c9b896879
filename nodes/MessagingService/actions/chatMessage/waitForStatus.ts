import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { lists } from '../../api/lists';
import { readNewest } from '../../api/newest';
import type { ApiRequest, Call } from '../../api/request';
import type { Read } from '../../parameters/read';
import { oneOf } from '../../parameters/schemas';
import type { Plan, RecordLookUp } from '../../sending/operation';
import { readWaitLimits, waitFor, waitOptions } from '../waiting';

/** Where the service shows chat messages (docs/service.md, section 4.9). */
export const messageRecords: RecordLookUp = {
	list: lists.messages,
	fits: ({ to }, { body, form }) => {
		const { phone } = form?.fields ?? (body as IDataObject);
		return digitsOf(to) === digitsOf(phone);
	},
};

const wantedStatus = oneOf(['none', 'Delivered', 'Read'] as const);

/** The option `waitForStatus` and what belongs to it. */
export const statusOptions: INodeProperties[] = [
	{
		displayName: 'Wait for Status',
		name: 'waitForStatus',
		type: 'options',
		options: [
			{ name: 'Delivered', value: 'Delivered', description: 'The message reached the device' },
			{ name: 'Do Not Wait', value: 'none' },
			{ name: 'Read', value: 'Read', description: 'The recipient opened the message' },
		],
		// Adding the option turns it on; without it nothing waits.
		default: 'Delivered',
		description:
			'Whether to wait until the message has reached this status or has failed, and return its record',
	},
	...waitOptions(
		{ show: { waitForStatus: ['Delivered', 'Read'] } },
		'the status',
		'the message records',
	),
];

/** Statuses with which the waiting for one ends (docs/service.md, section 3). */
const endings = {
	Delivered: new Set(['Delivered', 'Read', 'Failed']),
	Read: new Set(['Read', 'Failed']),
};

/**
 * Adds to the request for a message that its status is waited for, if the option says so.
 *
 * The response to a template names the message; that to a media message is not documented, so the
 * record is the newest of its recipient that was not there before. Throws InputFailure.
 */
export function withStatus(read: Read, plan: Plan): Plan {
	const isAdded = read.isSet('options.waitForStatus');
	const status = isAdded ? read('options.waitForStatus', wantedStatus) : 'none';
	if (status === 'none') return plan;
	const limits = readWaitLimits(read);
	const { request } = plan;
	let before: unknown;
	const newest = async (call: Call) =>
		await newestRecord(call, (record) => messageRecords.fits(record, request));
	return {
		...plan,
		// Two messages to one recipient could not be told apart otherwise.
		queue: recipientOf(request),
		prepare: async (call, uploads) => {
			before = (await newest(call))?.id;
			return plan.prepare ? await plan.prepare(call, uploads) : request;
		},
		follow: async (response, call, signal) => {
			const { providerMessageId } = response;
			const look = async (known: IDataObject | undefined) => {
				const found = isId(providerMessageId)
					? await newestRecord(call, (record) => record.providerMessageId === providerMessageId)
					: await newest(call);
				return found === undefined || found.id === before ? known : found;
			};
			const { record, waitStopped } = await waitFor(
				look,
				(found) => endings[status].has(String(found.status)),
				(seconds) => `The message was not ${status.toLowerCase()} after ${seconds} seconds.`,
				limits,
				signal,
			);
			return {
				...response,
				completed: waitStopped === undefined,
				messageRecord: record ?? null,
				...(waitStopped === undefined ? {} : { waitStopped }),
			};
		},
	};
}

const newestRecord = async (
	call: Call,
	matches: (record: IDataObject) => boolean,
): Promise<IDataObject | undefined> =>
	(await readNewest(call, lists.messages, { limit: 1, atMost: 1, matches }))[0];

const isId = (value: unknown): boolean => typeof value === 'string' && value !== '';

const digitsOf = (value: unknown): string => String(value ?? '').replace(/\D/g, '');

const recipientOf = ({ body, form }: ApiRequest): string =>
	digitsOf((form?.fields ?? (body as IDataObject)).phone);
