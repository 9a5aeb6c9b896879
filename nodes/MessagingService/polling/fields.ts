import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { statusChoices } from '../actions/chatMessage/getMany.operation';
import { routeFilter, searchFilter } from '../actions/voiceCall/getMany.operation';
import { balanceNames } from './balanceWatch';
import { subtitleOf } from '../parameters/sharedFields';

const shownFor = (watch: string) => ({ show: { watch: [watch] } });

/** What starts the workflow. */
const watches: INodePropertyOptions[] = [
	{
		name: 'Balance',
		value: 'balance',
		action: 'On low balance',
		description: 'Start when a balance falls below a threshold',
	},
	{
		name: 'Messages',
		value: 'messages',
		action: 'On message status change',
		description: 'Start when chat messages are sent, delivered or read, or have failed',
	},
	{
		name: 'Phone Numbers',
		value: 'numbers',
		action: 'On phone number change',
		description: 'Start when the quality of a chat number changes, or a number is added or removed',
	},
	{
		name: 'Voice Calls',
		value: 'voiceCalls',
		action: 'On voice call change',
		description: 'Start when calls placed through the API start, change or end',
	},
	{
		name: 'Webhooks',
		value: 'webhooks',
		action: 'On lost webhook',
		description:
			'Start when a registered webhook is gone or inactive, so that its trigger hears nothing any more',
	},
];

/** Names what the polling trigger watches as its label does. */
export const pollingSubtitle = subtitleOf(
	Object.fromEntries(watches.map(({ name, value }) => [String(value), name])),
	'$parameter["watch"]',
);

/** Parameters of the polling trigger. */
export const pollingFields: INodeProperties[] = [
	{
		// n8n lists the choices of a field with this name as events to start from.
		displayName: 'Trigger On',
		name: 'watch',
		type: 'options',
		noDataExpression: true,
		options: watches,
		default: 'balance',
		description: 'What to look at for events',
	},
	{
		displayName: 'Balances',
		name: 'resources',
		type: 'multiOptions',
		required: true,
		options: Object.entries(balanceNames).map(([value, name]) => ({ name, value })),
		default: ['chatBalance'],
		description: 'Which balances to watch',
		displayOptions: shownFor('balance'),
	},
	{
		displayName: 'Warning Threshold',
		name: 'warningThreshold',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 100,
		description:
			'A balance that falls below this value gives the event balance.low. 0 turns the event off.',
		displayOptions: shownFor('balance'),
	},
	{
		displayName: 'Critical Threshold',
		name: 'criticalThreshold',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 20,
		description:
			'A balance that falls below this value gives the event balance.critical. 0 turns the event off. A balance that reaches zero always gives balance.depleted.',
		displayOptions: shownFor('balance'),
	},
	{
		displayName: 'Call Events',
		name: 'callEvents',
		type: 'multiOptions',
		required: true,
		options: [
			{
				name: 'Ended',
				value: 'ended',
				description: 'A call has succeeded, was not answered or has failed',
			},
			{ name: 'Started', value: 'started', description: 'A call was placed' },
			{
				name: 'Status Changed',
				value: 'statusChanged',
				description: 'A call has another status than at the last poll',
			},
		],
		default: ['ended'],
		description: 'Which events start the workflow',
		displayOptions: shownFor('voiceCalls'),
	},
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		options: [searchFilter, routeFilter],
		displayOptions: shownFor('voiceCalls'),
	},
	{
		displayName: 'Statuses',
		name: 'statuses',
		type: 'multiOptions',
		required: true,
		options: statusChoices,
		default: ['Delivered', 'Failed'],
		description:
			'Which statuses of a message start the workflow. One that has gone further between two polls starts it, too, with its newest status: a message that was read has been delivered.',
		displayOptions: shownFor('messages'),
	},
	{
		displayName: 'Stuck After (Minutes)',
		name: 'stuckAfter',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'A message that is still Sent after so many minutes gives the event message.stuck, once. 0 turns the event off.',
		displayOptions: shownFor('messages'),
	},
];
