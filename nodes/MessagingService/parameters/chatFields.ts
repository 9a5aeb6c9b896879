import type { INodeProperties } from 'n8n-workflow';

/** Recipient of a chat message. */
export const phoneField: INodeProperties = {
	displayName: 'Recipient Phone Number',
	name: 'phone',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 919876543210',
	description:
		'Number with country code. Plus signs, spaces, dots, dashes and parentheses are removed.',
};

/** Image that goes out with a text. */
export const imageUrlField: INodeProperties = {
	displayName: 'Image URL',
	name: 'imageUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://host.example/image.png',
	description: 'File path or URL of an image to attach',
};

/** Name of an approved template. */
export const templateNameField: INodeProperties = {
	displayName: 'Template Name',
	name: 'templateName',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. order_update',
	description: 'Name of an approved template',
};

/** Language of the template. */
export const languageField: INodeProperties = {
	displayName: 'Language',
	name: 'language',
	type: 'string',
	default: 'en',
	placeholder: 'e.g. en',
	description: 'Language code of the template',
};
