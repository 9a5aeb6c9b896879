import type { INodeProperties } from 'n8n-workflow';

/** Name of the binary property that holds the file. */
export const binaryField: INodeProperties = {
	displayName: 'Input Data Field Name',
	name: 'binaryPropertyName',
	type: 'string',
	required: true,
	default: 'data',
	placeholder: 'e.g. data',
	hint: 'The name of the input field that contains the file',
	description: 'Name of the binary property of the input item that holds the file',
};
