import type { IDataObject } from 'n8n-workflow';
import { lists, statusesReached, statusOf } from '../../api/lists';
import { choiceField } from '../../parameters/fields';
import { digitsOf } from '../../parameters/phone';
import type { Read } from '../../parameters/read';
import { choiceOf } from '../../parameters/schemas';
import type { Plan, RecordLookUp } from '../../operation';
import { waitOption, withWait } from '../waiting';

/** Where the service shows chat messages (docs/service.md, section 4.9). */
export const messageRecords: RecordLookUp = {
	list: lists.messages,
	recipientOf: ({ body, form }) => digitsOf((form?.fields ?? body)?.phone),
	recipientIn: ({ to }) => digitsOf(to),
};

const wantedStatuses = {
	Delivered: 'Delivered',
	Read: 'Read',
} as const;

export const statusOption = waitOption('waitForStatus', 'Await Status', {
	description:
		'Waits until the message has reached a status or has failed, and returns its record. Branch on <code>reached</code>: whether the message reached this status or a later one.',
	what: 'the status',
	where: 'the message records',
	fields: [
		choiceField('status', 'Status', wantedStatuses, 'Delivered', {
			description: 'The status to wait for',
		}),
	],
});

/** Makes a message wait for its status if the option is set; throws InputFailure. */
export function withStatus(read: Read, plan: Plan): Plan {
	const option = 'options.waitForStatus.wait';
	if (!read.has(option)) return plan;
	const status = read(`${option}.status`, choiceOf(wantedStatuses));
	const hasReached = (record: IDataObject) => statusesReached(statusOf(record)).includes(status);
	return withWait(read, plan, {
		option,
		recordLookUp: messageRecords,
		hasSameId: (record, response) =>
			hasId(response) && record.providerMessageId === response.providerMessageId,
		// The response to a media message is not documented, so it may lack the ID.
		mayBelong: (_record, response) => !hasId(response),
		isDone: (record) => hasReached(record) || statusOf(record) === 'Failed',
		notYet: `The message was not ${status.toLowerCase()} after`,
		shown: (record) => ({
			status: record?.status ?? null,
			reached: record !== undefined && hasReached(record),
			messageRecord: record ?? null,
		}),
	});
}

const hasId = ({ providerMessageId: id }: IDataObject): boolean =>
	typeof id === 'string' && id !== '';
