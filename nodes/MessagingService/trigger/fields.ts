import type { INodeProperties } from 'n8n-workflow';
import { flagField, numberField, textField } from '../parameters/fields';

export const options: INodeProperties[] = [
	textField('fromNumbers', 'From Numbers', {
		default: [],
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Number' },
		placeholder: 'e.g. +919876543210',
		description: 'Only events of messages sent from these numbers',
	}),
	flagField('ignoreDuplicates', 'Ignore Duplicates', {
		default: true,
		description:
			'Whether an event that is delivered again starts no second execution. Holds within one n8n process, for its last 10,000 events.',
	}),
	numberField('maxAgeSeconds', 'Max Age (Seconds)', 0, {
		typeOptions: { minValue: 0 },
		description:
			'Reject events that are older, so that a recorded event cannot be sent again later. 0 accepts every age.',
	}),
	textField('templateNames', 'Template Names', {
		default: [],
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Template' },
		placeholder: 'e.g. order_update',
		description: 'Only events of messages made from these templates',
	}),
];

/** Where to look for what this trigger cannot hear (docs/service.md, sections 6.3 and 6.4). */
export const otherEventsNotice: INodeProperties = {
	displayName:
		'Incoming messages and email delivery statuses go only to webhooks that you set up on the service\'s dashboard. Receive them with n8n\'s Webhook node, as the example "Webhooks of the dashboard" does. How balance events arrive is not documented; the polling trigger watches balances.',
	name: 'otherEventsNotice',
	type: 'notice',
	default: '',
};
