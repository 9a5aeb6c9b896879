import { map, mapValues } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';
import { messageStatuses } from '../actions/chatMessage/records.operations';
import { routeFilter, searchFilter } from '../actions/voiceCall/callLog.operations';
import { balanceNames } from '../api/response';
import { numberField, severalField, shownWhere } from '../parameters/fields';
import { filtersField, subtitleOf } from '../parameters/sharedFields';

export const watches = {
	balance: {
		name: 'Balance',
		action: 'On low balance',
		description: 'Start when a balance falls below a threshold',
	},
	messages: {
		name: 'Messages',
		action: 'On message status change',
		description: 'Start when chat messages are sent, delivered or read, or fail',
	},
	numbers: {
		name: 'Phone Numbers',
		action: 'On phone number change',
		description: 'Start when the quality of a chat number changes, or a number is added or removed',
	},
	voiceCalls: {
		name: 'Voice Calls',
		action: 'On voice call change',
		description: 'Start when calls placed via the API begin, change or end',
	},
	webhooks: {
		name: 'Webhooks',
		action: 'On lost webhook',
		description:
			'Start when a registered webhook is removed or inactive (its trigger then gets no events)',
	},
};

export const pollingSubtitle = subtitleOf(mapValues(watches, 'name'), '$parameter["watch"]');

/** A limit. 0 turns it off. */
const limitField = (
	name: string,
	displayName: string,
	preset: number,
	description: string,
	hint?: string,
) => numberField(name, displayName, preset, { typeOptions: { minValue: 0 }, description, hint });

export const callEvents = {
	started: 'Started',
	statusChanged: 'Status Changed',
	ended: ['Ended', 'The call succeeded, failed or was not answered'],
} as const;

export const pollingFields: INodeProperties[] = [
	{
		// n8n lists the choices of a field with the label "Trigger On" as the events of the node.
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
			hint: 'A balance that is already below a threshold emits nothing until it has recovered',
		}),
		limitField(
			'warningThreshold',
			'Warning Threshold',
			100,
			'Emits the event balance.low when a balance falls below this value. 0 turns it off.',
		),
		limitField(
			'criticalThreshold',
			'Critical Threshold',
			20,
			'Emits the event balance.critical when a balance falls below this value. 0 turns it off. A balance that reaches zero always emits balance.depleted.',
			'Starts the workflow as well. With 0, it starts again only when the balance reaches zero.',
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
			description:
				'Which message statuses start the workflow, even if a message passes one between two polls',
		}),
		limitField(
			'stuckAfter',
			'Stuck After (Minutes)',
			0,
			'Emits the event message.stuck once for a message that is still Sent after this many minutes. 0 turns it off. For these events only, remove all statuses.',
		),
	]),
];
