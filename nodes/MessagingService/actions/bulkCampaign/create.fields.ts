import type { INodeProperties } from 'n8n-workflow';
import {
	choiceField,
	flagField,
	numberField,
	shownWhere,
	textField,
} from '../../parameters/fields';
import { allowBlankParameters, checkTemplateBalance } from '../../parameters/options';
import { binaryField } from '../../parameters/sharedFields';
import { templateFields } from '../chatMessage/sendTemplate.operation';

/** Recipients of one request (docs/service.md, section 8.1). */
export const maxRecipients = 10_000;

export const sources = {
	inputItems: ['Input Items', 'One recipient per input item'],
	json: ['JSON', 'A JSON array of recipients'],
} as const;

const recipientsSource = choiceField('recipientsSource', 'Recipients', sources, 'inputItems', {
	description: 'Where the recipients come from',
});

export const headers = {
	perRecipient: ['Per Recipient', 'Each recipient brings its own, or none'],
	value: ['Value', 'A text or media URL for all recipients'],
	mediaId: ['Media ID', 'A file uploaded before'],
	binary: ['File', 'One file of the input for all recipients, uploaded once'],
} as const;

export const invalidRecipients = {
	stop: ['Stop', 'Send nothing and list what is wrong'],
	skip: ['Skip Them', 'Send to the others and list what was skipped'],
} as const;

const columnField = (
	name: string,
	displayName: string,
	own: Partial<INodeProperties>,
): INodeProperties => textField(name, displayName, { requiresDataPath: 'single', ...own });

/** Name of the input field that holds the recipient. */
export const phoneColumn = columnField('phoneField', 'Phone Number Field', {
	required: true,
	default: 'phone',
	placeholder: 'e.g. phone',
	description: 'Name of the input field that holds the phone number',
	hint: 'Enter the name of the field, or drag it here from the input panel',
});

const fromItems = { recipientsSource: ['inputItems'] };

export const fields: INodeProperties[] = [
	...templateFields,
	{ ...recipientsSource, displayOptions: { hide: { '@tool': [true] } } },
	// A model has no input items to give, but can write a list.
	{ ...recipientsSource, default: 'json', displayOptions: { show: { '@tool': [true] } } },
	...shownWhere(fromItems, [
		phoneColumn,
		columnField('paramsFields', 'Parameter Fields', {
			requiresDataPath: 'multiple',
			placeholder: 'e.g. firstName, appointment.time',
			description:
				'Names of the input fields for the placeholders {{1}}, {{2}} and so on, in this order, separated by commas',
		}),
		columnField('nameField', 'Name Field', {
			placeholder: 'e.g. name',
			description:
				'Name of the input field that holds the name of the recipient, for reference only',
		}),
	]),
	textField('recipientsJson', 'Recipients (JSON)', {
		type: 'json',
		default: '[]',
		placeholder: 'e.g. [{"phone": "+919876543210", "params": ["Anna"]}]',
		description:
			'JSON array of recipients with phone, params, headerValue, headerMediaId and name. The arrays of all input items count.',
		displayOptions: { show: { recipientsSource: ['json'] } },
	}),
	choiceField('campaignHeader', 'Header', headers, 'perRecipient', {
		description: 'What to fill the header of the template with',
	}),
	...shownWhere({ ...fromItems, campaignHeader: ['perRecipient'] }, [
		columnField('headerValueField', 'Header Value Field', {
			placeholder: 'e.g. imageUrl',
			description: 'Name of the input field that holds the text or media URL of the header',
		}),
		columnField('headerMediaIdField', 'Header Media ID Field', {
			placeholder: 'e.g. mediaId',
			description: 'Name of the input field that holds the media ID of an uploaded header file',
		}),
	]),
	textField('headerValue', 'Header Value', {
		required: true,
		placeholder: 'e.g. https://host.example/image.png',
		description: 'Text or media URL of the header',
		displayOptions: { show: { campaignHeader: ['value'] } },
	}),
	textField('headerMediaId', 'Header Media ID', {
		required: true,
		placeholder: 'e.g. the mediaId of Media > Upload',
		description: 'Media ID of an uploaded header file',
		displayOptions: { show: { campaignHeader: ['mediaId'] } },
	}),
	...shownWhere({ campaignHeader: ['binary'] }, [binaryField]),
];

export const options: INodeProperties[] = [
	allowBlankParameters,
	checkTemplateBalance,
	numberField('chunkSize', 'Recipients per Request', maxRecipients, {
		typeOptions: { minValue: 1, maxValue: maxRecipients },
		description:
			'How many recipients one request has; each request makes a campaign. The service takes at most 10,000.',
	}),
	choiceField('invalidRecipients', 'Invalid Recipients', invalidRecipients, 'stop', {
		description: 'What to do when recipients cannot be sent to',
	}),
	flagField('removeDuplicates', 'Remove Duplicates', {
		description: 'Whether to send once to a phone number that appears several times in a campaign',
	}),
];
