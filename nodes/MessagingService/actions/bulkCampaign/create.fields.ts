import type { INodeProperties } from 'n8n-workflow';
import {
	binaryField,
	languageField,
	templateNameField,
	numberField,
} from '../../parameters/sharedFields';
import { allowBlankParameters, checkTemplateBalance, optionsField } from '../../parameters/options';

const fromItems = { show: { recipientsSource: ['inputItems'] } };

const ownHeader = { show: { ...fromItems.show, campaignHeader: ['perRecipient'] } };

const headerFrom = (source: string) => ({ show: { campaignHeader: [source] } });

/** Recipients of one request (docs/service.md, section 8.1). */
export const maxRecipients = 10_000;

const recipientsSource: INodeProperties = {
	displayName: 'Recipients',
	name: 'recipientsSource',
	type: 'options',
	options: [
		{ name: 'Input Items', value: 'inputItems', description: 'One recipient per input item' },
		{ name: 'JSON', value: 'json', description: 'A JSON array of recipients' },
	],
	default: 'inputItems',
	description: 'Where the recipients come from',
};

/** Fields of Bulk Campaign > Create. */
export const createCampaignFields: INodeProperties[] = [
	templateNameField,
	numberField,
	languageField,
	{ ...recipientsSource, displayOptions: { hide: { '@tool': [true] } } },
	// A model has no input items to give, but can write a list.
	{ ...recipientsSource, default: 'json', displayOptions: { show: { '@tool': [true] } } },
	{
		displayName: 'Phone Number Field',
		name: 'phoneField',
		type: 'string',
		requiresDataPath: 'single',
		required: true,
		default: 'phone',
		placeholder: 'e.g. phone',
		description: 'Name of the input field that holds the phone number',
		hint: 'Enter the name of the field, or drag it here from the input panel',
		displayOptions: fromItems,
	},
	{
		displayName: 'Parameter Fields',
		name: 'paramsFields',
		type: 'string',
		requiresDataPath: 'multiple',
		default: '',
		placeholder: 'e.g. firstName, appointment.time',
		description:
			'Names of the input fields for the placeholders {{1}}, {{2}} and so on, in this order, separated by commas',
		displayOptions: fromItems,
	},
	{
		displayName: 'Name Field',
		name: 'nameField',
		type: 'string',
		requiresDataPath: 'single',
		default: '',
		placeholder: 'e.g. name',
		description: 'Name of the input field that holds the name of the recipient, for reference only',
		displayOptions: fromItems,
	},
	{
		displayName: 'Recipients (JSON)',
		name: 'recipientsJson',
		type: 'json',
		default: '[]',
		placeholder: 'e.g. [{"phone": "+919876543210", "params": ["Anna"]}]',
		description:
			'JSON array of recipients with phone, params, headerValue, headerMediaId and name. The arrays of all input items count.',
		displayOptions: { show: { recipientsSource: ['json'] } },
	},
	{
		displayName: 'Header',
		name: 'campaignHeader',
		type: 'options',
		options: [
			{
				name: 'File',
				value: 'binary',
				description: 'One file of the input for all recipients, uploaded once',
			},
			{ name: 'Media ID', value: 'mediaId', description: 'A file uploaded before' },
			{
				name: 'Per Recipient',
				value: 'perRecipient',
				description: 'Each recipient brings its own, or none',
			},
			{ name: 'Value', value: 'value', description: 'A text or media URL for all recipients' },
		],
		default: 'perRecipient',
		description: 'What to fill the header of the template with',
	},
	{
		displayName: 'Header Value Field',
		name: 'headerValueField',
		type: 'string',
		requiresDataPath: 'single',
		default: '',
		placeholder: 'e.g. imageUrl',
		description: 'Name of the input field that holds the text or media URL of the header',
		displayOptions: ownHeader,
	},
	{
		displayName: 'Header Media ID Field',
		name: 'headerMediaIdField',
		type: 'string',
		requiresDataPath: 'single',
		default: '',
		placeholder: 'e.g. mediaId',
		description: 'Name of the input field that holds the media ID of an uploaded header file',
		displayOptions: ownHeader,
	},
	{
		displayName: 'Header Value',
		name: 'headerValue',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. https://host.example/image.png',
		description: 'Text or media URL of the header',
		displayOptions: headerFrom('value'),
	},
	{
		displayName: 'Header Media ID',
		name: 'headerMediaId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. the mediaId of Media > Upload',
		description: 'Media ID of an uploaded header file',
		displayOptions: headerFrom('mediaId'),
	},
	{ ...binaryField, displayOptions: headerFrom('binary') },
	optionsField({
		billable: true,
		batching: false,
		own: [
			allowBlankParameters,
			checkTemplateBalance,
			{
				displayName: 'Recipients per Request',
				name: 'chunkSize',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: maxRecipients },
				default: maxRecipients,
				description:
					'How many recipients one request has; each request makes a campaign. The service takes at most 10,000.',
			},
			{
				displayName: 'Invalid Recipients',
				name: 'invalidRecipients',
				type: 'options',
				options: [
					{
						name: 'Skip Them',
						value: 'skip',
						description: 'Send to the others and list what was skipped',
					},
					{ name: 'Stop', value: 'stop', description: 'Send nothing and list what is wrong' },
				],
				default: 'stop',
				description: 'What to do when recipients cannot be sent to',
			},
			{
				displayName: 'Remove Duplicates',
				name: 'removeDuplicates',
				type: 'boolean',
				default: false,
				description:
					'Whether to send once to a phone number that appears several times in a campaign',
			},
		],
	}),
];
