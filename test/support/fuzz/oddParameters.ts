import fc, { type Arbitrary } from 'fast-check';
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { oddText, oddValue } from './oddValues';

const phones = ['919876543210', '+91 (98765) 43-210', 919876543210];
const urls = ['https://host.example/a.png', 'http://host.example'];
const uuid = '0b7d3a52-8f0c-4a1e-9a37-2f1f6f1f3c55';
const emails = ['a@host.example', 'Anna <a@host.example>, b@host.example'];

/** Values that a careful person enters, by the name of the field or its resource and name. */
const goodValues: Record<string, unknown[]> = {
	phone: phones,
	to: phones,
	routeNumber: phones,
	fromNumber: phones,
	search: ['98765', ''],
	'email.to': emails,
	replyTo: emails.slice(0, 1),
	'voiceCall.filters.to': ['2026-01-31', ''],
	from: ['2026-01-30T10:00:00', ''],
	'bulkCampaign.sentAfter': ['2026-01-31T09:00', 1_790_000_000_000],
	templateName: ['order_update'],
	mediaUrl: urls,
	imageUrl: urls,
	audioUrl: urls,
	url: urls,
	aiAgentId: [uuid],
	xmlId: [uuid],
	webhookId: [uuid],
	binaryPropertyName: ['data'],
	phoneField: ['phone', 'person.phone', '["phone"]'],
	paramsFields: ['', 'name', 'name, person.age'],
	parametersJson: ['[]', '["Anna", 12]', ['Anna']],
	headerParametersJson: ['{"type": "image"}', { type: 'image' }],
	recipientsJson: ['[{"phone": "919876543210", "params": ["a"]}]', [{ phone: '919876543210' }]],
};

/**
 * Parameters of an operation in which every field has now a good value and now an odd one.
 *
 * @param fields as the node describes them; nested ones may be left out
 */
export function oddParameters(
	resource: string,
	fields: INodeProperties[],
): Arbitrary<Record<string, unknown>> {
	const arbitraries = fields.map((field) => [field.name, fieldValue(resource, field)] as const);
	return fc.record(Object.fromEntries(arbitraries), { noNullPrototype: true });
}

const mostly = (good: Arbitrary<unknown>, odd: Arbitrary<unknown> = oddValue) =>
	fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: odd });

function fieldValue(resource: string, field: INodeProperties, path = ''): Arbitrary<unknown> {
	const { name, type, options = [], typeOptions } = field;
	const nested = (own: INodeProperties[]) =>
		fc.record(
			Object.fromEntries(
				own.map((child) => [child.name, fieldValue(resource, child, `${path}${name}.`)]),
			),
			{ requiredKeys: [], noNullPrototype: true },
		);
	switch (type) {
		case 'options':
			return mostly(fc.constantFrom(...valuesOf(options)));
		case 'multiOptions':
			return mostly(fc.subarray(valuesOf(options)));
		case 'boolean':
			return mostly(fc.boolean());
		case 'number':
			return mostly(fc.integer({ min: 1, max: 100 }));
		case 'resourceLocator': {
			const value = mostly(fc.constantFrom('', '+1 (415) 555-0100', uuid));
			return mostly(fc.record({ __rl: fc.constant(true), mode: fc.constant('id'), value }));
		}
		case 'collection':
			return mostly(nested(options as INodeProperties[]));
		case 'fixedCollection': {
			const groups = (options as INodePropertyCollection[]).map((group) => {
				const rows = nested(group.values);
				return [group.name, typeOptions?.multipleValues ? fc.array(rows, { maxLength: 3 }) : rows];
			});
			return mostly(fc.record(Object.fromEntries(groups) as Record<string, Arbitrary<unknown>>));
		}
		default: {
			const good = goodValues[`${resource}.${path}${name}`] ?? goodValues[name] ?? ['Some text'];
			const text = mostly(fc.constantFrom(...good), oddText);
			return mostly(text);
		}
	}
}

const valuesOf = (options: unknown[]): unknown[] =>
	(options as INodePropertyOptions[]).map(({ value }) => value);
