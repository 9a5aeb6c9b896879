import type { INodeProperties } from 'n8n-workflow';
import { countryCodeHint } from '../../parameters/sharedFields';
import { checkBalance, optionsField } from '../../parameters/options';
import { waitOptions } from '../waiting';

/** Fields of Voice Call > Create. */
export const createCallFields: INodeProperties[] = [
	{
		displayName: 'Recipient Phone Number',
		name: 'to',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. +919876543210',
		description: 'Number to call, at least 10 digits',
		hint: `${countryCodeHint}. A call costs 1 voice minute when it is placed.`,
	},
	{
		displayName: 'Content',
		name: 'content',
		type: 'options',
		options: [
			{ name: 'AI Agent', value: 'aiAgent', description: 'A conversational AI agent talks' },
			{ name: 'Audio URL', value: 'audioUrl', description: 'An audio file is played' },
			{ name: 'Text', value: 'text', description: 'A text is spoken' },
			{ name: 'XML Template', value: 'xmlTemplate', description: 'A saved template is run' },
		],
		default: 'text',
		description: 'What the recipient hears',
	},
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		typeOptions: { rows: 3 },
		required: true,
		default: '',
		placeholder: 'e.g. Your appointment is tomorrow at nine.',
		description: 'Text to speak',
		displayOptions: { show: { content: ['text'] } },
	},
	{
		displayName: 'Audio URL',
		name: 'audioUrl',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. https://host.example/message.mp3',
		description: 'Absolute URL of a playable audio file',
		displayOptions: { show: { content: ['audioUrl'] } },
	},
	{
		displayName: 'AI Agent ID',
		name: 'aiAgentId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 3f2b8f1e-52c1-4f5e-8a8e-6d1a0e9b7c11',
		description: 'ID of the conversational AI agent',
		displayOptions: { show: { content: ['aiAgent'] } },
	},
	{
		displayName: 'XML Template ID',
		name: 'xmlId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 3f2b8f1e-52c1-4f5e-8a8e-6d1a0e9b7c11',
		description: 'ID of the saved XML template',
		displayOptions: { show: { content: ['xmlTemplate'] } },
	},
	{
		displayName: 'Voice Route',
		name: 'voiceRoute',
		type: 'options',
		options: [
			{
				name: 'Automatic',
				value: 'auto',
				description: 'Indian route for Indian numbers, US route for all others',
			},
			{ name: 'IN2', value: 'carrier_in2' },
			{ name: 'Indian', value: 'indian' },
			{
				name: 'Own Number',
				value: 'ownNumber',
				description:
					'A number of the account, also shown as caller. One of the carrier IN2 makes the call go through IN2.',
			},
			{ name: 'US', value: 'us' },
		],
		default: 'auto',
		description: 'Route that carries the call',
	},
	{
		displayName: 'Own Number',
		name: 'routeNumber',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. +918047104710',
		description: 'Phone number owned by the account',
		displayOptions: { show: { voiceRoute: ['ownNumber'] } },
	},
	{
		displayName: 'From Number',
		name: 'fromNumber',
		type: 'string',
		default: '',
		placeholder: 'e.g. +918047104710',
		description: 'Caller ID. The default outbound number of the route is used if empty.',
	},
	{
		displayName: 'Recipient Name',
		name: 'recipientName',
		type: 'string',
		default: '',
		placeholder: 'e.g. Anna',
		description: 'Label in call logs and transcripts',
	},
	optionsField({
		billable: true,
		own: [
			checkBalance,
			...waitOptions(
				{ show: { waitForCompletion: [true] } },
				'the end of the call',
				'the call log',
			),
			{
				displayName: 'Wait for Completion',
				name: 'waitForCompletion',
				type: 'boolean',
				// Adding the option turns it on; without it nothing waits.
				default: true,
				description:
					'Whether to wait until the call has ended and return its duration and transcript. Branch on <code>status</code>. Calls to the same number are made one after another then.',
			},
		],
	}),
];
