import { map, mapValues } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';
import { messageStatuses } from '../actions/chatMessage/records.operations';
import { routeFilter, searchFilter } from '../actions/voiceCall/callLog.operations';
import { numberField, severalField, shownWhere } from '../parameters/fields';
import { filtersField, subtitleOf } from '../parameters/sharedFields';
import { balanceNames } from './balanceWatch';

/** What starts the workflow. */
export const watches = {
	balance: {
		name: 'Balance',
		action: 'On low balance',
		description: 'Start when a balance falls below a threshold',
	},
	messages: {
		name: 'Messages',
		action: 'On message status change',
		description: 'Start when chat messages are sent, delivered or read, or have failed',
	},
	numbers: {
		name: 'Phone Numbers',
		action: 'On phone number change',
		description: 'Start when the quality of a chat number changes, or a number is added or removed',
	},
	voiceCalls: {
		name: 'Voice Calls',
		action: 'On voice call change',
		description: 'Start when calls placed through the API start, change or end',
	},
	webhooks: {
		name: 'Webhooks',
		action: 'On lost webhook',
		description:
			'Start when a registered webhook is gone or inactive, so that its trigger no longer receives events',
	},
};

/** Names what the polling trigger watches as its label does. */
export const pollingSubtitle = subtitleOf(mapValues(watches, 'name'), '$parameter["watch"]');

/** A limit, which 0 turns off. */
const limitField = (name: string, displayName: string, preset: number, description: string) =>
	numberField(name, displayName, preset, { typeOptions: { minValue: 0 }, description });

export const callEvents = {
	started: ['Started', 'A call was placed'],
	statusChanged: ['Status Changed', 'A call has another status than at the last poll'],
	ended: ['Ended', 'A call has succeeded, was not answered or has failed'],
} as const;

/** Parameters of the polling trigger. */
export const pollingFields: INodeProperties[] = [
	{
		// n8n lists the choices of a field with this name as events to start from.
		displayName: 'Trigger On',
		name: 'watch',
		type: 'options',
		noDataExpression: true,
		options: map(watches, (watch, value) => ({ ...watch, value })),
		default: 'balance',
	},
	...shownWhere({ watch: ['balance'] }, [
		severalField('resources', 'Balances', balanceNames, ['chatBalance'], {
			required: true,
			description: 'Which balances to watch',
		}),
		limitField(
			'warningThreshold',
			'Warning Threshold',
			100,
			'A balance that falls below this value gives the event balance.low. 0 turns the event off.',
		),
		limitField(
			'criticalThreshold',
			'Critical Threshold',
			20,
			'A balance that falls below this value gives the event balance.critical. 0 turns the event off. A balance that reaches zero always gives balance.depleted.',
		),
	]),
	...shownWhere({ watch: ['voiceCalls'] }, [
		severalField('callEvents', 'Call Events', callEvents, ['ended'], {
			required: true,
			description: 'Which events start the workflow',
		}),
		filtersField([searchFilter, routeFilter]),
	]),
	...shownWhere({ watch: ['messages'] }, [
		severalField('statuses', 'Statuses', messageStatuses, ['Delivered', 'Failed'], {
			required: true,
			description:
				'Which statuses of a message start the workflow. One that has gone further between two polls starts it, too, with its newest status: a message that was read counts as delivered.',
		}),
		limitField(
			'stuckAfter',
			'Stuck After (Minutes)',
			0,
			'A message that is still Sent after so many minutes gives the event message.stuck, once. 0 turns the event off.',
		),
	]),
];
