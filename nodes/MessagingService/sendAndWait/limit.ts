import { Duration } from 'luxon';
import { WAIT_INDEFINITELY, type INodeProperties } from 'n8n-workflow';
import { choiceField, momentField, numberField, shownWhere } from '../parameters/fields';
import type { Read } from '../parameters/read';
import { choiceOf, futureIn, positive } from '../parameters/schemas';

const limitTypes = {
	afterTimeInterval: 'After Time Interval',
	atSpecifiedTime: 'At Specified Time',
};
const units = { minutes: 'Minutes', hours: 'Hours', days: 'Days' };

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
				choiceField('limitType', 'Limit Type', limitTypes, 'afterTimeInterval', {
					description: 'What ends the waiting',
				}),
				...shownWhere({ limitType: ['afterTimeInterval'] }, [
					numberField('resumeAmount', 'Amount', 1, {
						typeOptions: { minValue: 0, numberPrecision: 2 },
						description: 'How long to wait after sending',
					}),
					choiceField('resumeUnit', 'Unit', units, 'hours', { description: 'Unit of the amount' }),
				]),
				...shownWhere({ limitType: ['atSpecifiedTime'] }, [
					momentField('maxDateAndTime', 'Max Date and Time', {
						description: 'When to go on without an answer',
					}),
				]),
			],
		},
	],
};

/** Reads until when to wait for an answer: an interval begins when that is asked; throws InputFailure. */
export function readWaitLimit(read: Read): () => Date {
	const limit = 'options.limitWaitTime.values';
	if (!read.has(limit)) return () => WAIT_INDEFINITELY;
	if (read(`${limit}.limitType`, choiceOf(limitTypes)) === 'atSpecifiedTime') {
		const date = read(`${limit}.maxDateAndTime`, futureIn(read.timeZone));
		return () => new Date(date);
	}
	const amount = read(`${limit}.resumeAmount`, positive);
	const unit = read(`${limit}.resumeUnit`, choiceOf(units));
	const wait = Duration.fromObject({ [unit]: amount }).toMillis();
	return () => new Date(Math.min(Date.now() + wait, WAIT_INDEFINITELY.getTime()));
}
