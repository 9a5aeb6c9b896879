import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { lists, statusesReached } from '../../api/lists';
import { knownRecords, readNewest, type KnownRecords } from '../../api/newest';
import type { ApiRequest } from '../../api/client';
import type { Read } from '../../parameters/read';
import { oneOf } from '../../parameters/schemas';
import type { Plan, RecordLookUp } from '../../operation';
import { cutOff, readWaitLimits, waitFor, waitOptions, withWait, type Waited } from '../waiting';

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
			'Whether to wait until the message has reached this status or has failed, and return its record. Branch on <code>status</code>.',
	},
	...waitOptions(
		{ show: { waitForStatus: ['Delivered', 'Read'] } },
		'the status',
		'the message records',
	),
];

/**
 * Adds to the request for a message that its status is waited for, if the option says so.
 *
 * The response to a template names the message; that to a media message is not documented, so the
 * record is the first of its recipient that was not there before. Throws InputFailure.
 */
export function withStatus(read: Read, plan: Plan): Plan {
	const isAdded = read.has('options.waitForStatus');
	const status = isAdded ? read('options.waitForStatus', wantedStatus) : 'none';
	if (status === 'none') return plan;
	const limits = readWaitLimits(read);
	const { request } = plan;
	const isDone = (record: IDataObject) =>
		record.status === 'Failed' || statusesReached(String(record.status)).includes(status);
	const final = (response: IDataObject, waited: Waited) => {
		const { record = null } = waited;
		return withWait(response, { status: record?.status ?? null, messageRecord: record }, waited);
	};
	let earlier: KnownRecords | undefined;
	return {
		...plan,
		// Two messages to one recipient could not be told apart otherwise.
		queue: recipientOf(request),
		prepare: async (call) => {
			earlier = await knownRecords(call, lists.messages);
			return plan.prepare ? await plan.prepare(call) : request;
		},
		follow: async (response, call, signal) => {
			const { providerMessageId } = response;
			const hasId = isId(providerMessageId);
			const isOwn = (record: IDataObject) =>
				hasId
					? record.providerMessageId === providerMessageId
					: earlier?.isNew(record) === true && messageRecords.fits(record, request);
			const look = async (known: IDataObject | undefined) => {
				const found = await readNewest(call, lists.messages, {
					limit: Infinity,
					isLast: () => hasId,
					since: earlier?.since,
					matches: isOwn,
				});
				return found.at(-1) ?? known;
			};
			const waited = await waitFor(
				look,
				isDone,
				(seconds) => `The message was not ${status.toLowerCase()} after ${seconds} seconds.`,
				limits,
				signal,
			);
			return final(response, waited);
		},
		followed: (record) => final({}, cutOff(record, isDone)),
	};
}

const isId = (value: unknown): boolean => typeof value === 'string' && value !== '';

const digitsOf = (value: unknown): string => String(value ?? '').replace(/\D/g, '');

const recipientOf = ({ body, form }: ApiRequest): string =>
	digitsOf((form?.fields ?? (body as IDataObject)).phone);
