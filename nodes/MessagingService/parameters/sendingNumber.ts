import type { INodeProperties } from 'n8n-workflow';
import { checkChatPhone } from './phone';
import { locator, type Schema } from './schemas';
import type { ReadValue } from './read';

/** The sending number: chosen from the account's numbers, by id or by phone number. */
export const numberField: INodeProperties = {
	displayName: 'Sending Number',
	name: 'configId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'Connected number to send from',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Default number',
			typeOptions: { searchListMethod: 'searchNumbers', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 5f0c1c9e-6a53-4d38-9e0e-0c7a3b1f2d44',
		},
		{
			displayName: 'By Phone Number',
			name: 'phoneNumber',
			type: 'string',
			placeholder: 'e.g. +919876543210',
		},
	],
};

const number: Schema<string> = locator.transform((value) => {
	const check = checkChatPhone(value);
	// Formatting is taken off phone numbers only; anything else is an id and passes as it is.
	return 'phone' in check ? check.phone : value;
});

/** The chosen number as the service takes it: an id, digits, or empty for the default number. */
export const readNumber = (read: ReadValue): string => read('configId', number);
