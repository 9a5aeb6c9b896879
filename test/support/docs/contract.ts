import { difference, map } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';
import { MessagingServicePollingTrigger } from '../../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';
import { optionsField } from '../../../nodes/MessagingService/parameters/options';
import { describedOperations } from '../operations';
import { fieldRows } from './fieldTable';

/** Every parameter of a list of fields, with an asterisk if it is required. */
const parameters = (fields: INodeProperties[]): string[] =>
	fieldRows(fields).map(({ name, field }) => `\`${name}\`${field.required ? '*' : ''}`);

const ofRequests = parameters([optionsField()]);
const ofBillable = difference(parameters([optionsField({ billable: true })]), ofRequests);
const common = [
	{ link: '[3.2](#32-options-of-requests)', names: ofRequests },
	{ link: '[3.3](#33-options-of-billable-operations)', names: ofBillable },
];

/** The parameters of an operation; the options that many have are named by their section. */
function parametersOf(fields: INodeProperties[]): string {
	const own = parameters(fields);
	const shared = common.filter(({ names }) => difference(names, own).length === 0);
	return [...difference(own, ...map(shared, 'names')), ...map(shared, 'link')].join(', ');
}

/** All names that saved workflows depend on, as a table. */
export function parameterTable(): string {
	const operations = describedOperations.map(
		({ choice: { resource, operation }, fields }) =>
			`| \`${resource}\` | \`${operation}\` | ${parametersOf(fields)} |`,
	);
	const triggers = [new MessagingServiceTrigger(), new MessagingServicePollingTrigger()].map(
		({ description: { name, properties } }) => `| \`${name}\` | | ${parametersOf(properties)} |`,
	);
	return [
		'| resource or trigger | operation | parameters |',
		'|---|---|---|',
		...operations,
		...triggers,
		`| all of [3.2](#32-options-of-requests) | | ${ofRequests.join(', ')} |`,
		`| all of [3.3](#33-options-of-billable-operations) | | ${ofBillable.join(', ')} |`,
	].join('\n');
}
