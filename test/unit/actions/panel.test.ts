// What the editor shows of an operation as long as nothing has been entered.

import { filter, find, map } from 'lodash';
import { NodeHelpers, type INodeParameters, type INodeProperties } from 'n8n-workflow';
import { action } from '../../support/descriptions';
import { describedOperations } from '../../support/operations';

/** The fields that the editor shows with these values, of the node or of its tool. */
function shownWith(values: INodeParameters, { name } = action): INodeProperties[] {
	const type = { ...action, name };
	const node = { typeVersion: 1 };
	const all = NodeHelpers.getNodeParameters(type.properties, values, true, false, node, type) ?? {};
	return type.properties.filter((field) =>
		NodeHelpers.displayParameter(all, field, node, type, all),
	);
}

const collections = ['additionalFields', 'options'];

test('a template asks for recipient, template, values and header', () => {
	const names = map(shownWith({ resource: 'chatMessage', operation: 'sendTemplate' }), 'name');
	expect(names.slice(2)).toEqual([
		...['phone', 'templateName', 'parametersMode', 'parametersUi', 'header'],
		...collections,
	]);
});

test.each([
	['chatMessage', 'sendTemplate', 11],
	['email', 'send', 9],
])('%s %s has %s options at most', (resource, operation, most) => {
	const { options } = find(shownWith({ resource, operation }), { name: 'options' }) ?? {};
	expect(map(options, 'name')).toContain('timeout');
	expect(options?.length).toBeLessThanOrEqual(most);
});

test.each(filter(describedOperations, ({ fields }) => map(fields, 'name').includes('toolNotice')))(
	'a tool for $name asks for its recipients until they are entered',
	({ choice }) => {
		const shows = (options: INodeParameters) =>
			map(
				shownWith({ ...choice, options }, { ...action, name: 'messagingServiceTool' }),
				'name',
			).includes('toolNotice');
		expect(
			[{}, { allowedRecipients: '' }, { allowedRecipients: '+447700900210' }].map(shows),
		).toEqual([true, true, false]);
	},
);
