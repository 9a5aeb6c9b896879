import { Duration } from 'luxon';
import { WAIT_INDEFINITELY, type INodeProperties } from 'n8n-workflow';
import type { Read } from '../parameters/read';
import { futureIn, oneOf, positive } from '../parameters/schemas';

const limitTypes = ['afterTimeInterval', 'atSpecifiedTime'] as const;
const units = ['minutes', 'hours', 'days'] as const;

/** How long to wait, named as in the messaging nodes of n8n. */
export const limitOption: INodeProperties = {
	displayName: 'Limit Wait Time',
	name: 'limitWaitTime',
	type: 'fixedCollection',
	default: { values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' } },
	description:
		'When to go on without an answer, with the input items. Without a limit the execution waits until somebody answers.',
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				{
					displayName: 'Limit Type',
					name: 'limitType',
					type: 'options',
					options: [
						{ name: 'After Time Interval', value: 'afterTimeInterval' },
						{ name: 'At Specified Time', value: 'atSpecifiedTime' },
					],
					default: 'afterTimeInterval',
					description: 'What ends the waiting',
				},
				{
					displayName: 'Amount',
					name: 'resumeAmount',
					type: 'number',
					typeOptions: { minValue: 0, numberPrecision: 2 },
					default: 1,
					description: 'How long to wait after sending',
					displayOptions: { show: { limitType: ['afterTimeInterval'] } },
				},
				{
					displayName: 'Unit',
					name: 'resumeUnit',
					type: 'options',
					options: [
						{ name: 'Days', value: 'days' },
						{ name: 'Hours', value: 'hours' },
						{ name: 'Minutes', value: 'minutes' },
					],
					default: 'hours',
					description: 'Unit of the amount',
					displayOptions: { show: { limitType: ['afterTimeInterval'] } },
				},
				{
					displayName: 'Max Date and Time',
					name: 'maxDateAndTime',
					type: 'dateTime',
					default: '',
					description: 'When to go on without an answer',
					displayOptions: { show: { limitType: ['atSpecifiedTime'] } },
				},
			],
		},
	],
};

/**
 * Reads until when to wait for an answer.
 *
 * @returns asked after sending; an interval begins then
 * @throws InputFailure
 */
export function readWaitLimit(read: Read): () => Date {
	const limit = 'options.limitWaitTime.values';
	if (!read.has(limit)) return () => WAIT_INDEFINITELY;
	if (read(`${limit}.limitType`, oneOf(limitTypes)) === 'atSpecifiedTime') {
		const date = read(`${limit}.maxDateAndTime`, futureIn(read.timeZone));
		return () => new Date(date);
	}
	const amount = read(`${limit}.resumeAmount`, positive);
	const unit = read(`${limit}.resumeUnit`, oneOf(units));
	const wait = Duration.fromObject({ [unit]: amount }).toMillis();
	return () => new Date(Math.min(Date.now() + wait, WAIT_INDEFINITELY.getTime()));
}
