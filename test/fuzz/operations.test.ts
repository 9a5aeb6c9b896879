import fc, { type Arbitrary } from 'fast-check';
import { get, keyBy, map, mapValues } from 'lodash';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';
import { findOperation } from '../../nodes/MessagingService/actions';
import { inputFailureOr } from '../../nodes/MessagingService/parameters/read';
import { binaryFile, multipart } from '../../nodes/MessagingService/api/binaryFile';
import { pathOf, type ApiRequest } from '../../nodes/MessagingService/api/client';
import { Failure } from '../../nodes/MessagingService/api/failure';
import { readSettings } from '../../nodes/MessagingService/running/settings';
import { oddBinary, oddText, oddValue } from '../support/fuzz/oddValues';
import { numRuns, patience, seed } from '../support/fuzz/runs';
import { malformed, unclear } from '../support/fuzz/verdicts';
import { fakeRead, fakeReader } from '../support/unit/fakeRead';
import { describedOperations, type DescribedOperation } from '../support/operations';

const phones = ['447700900210', '+44 (7700) 900-210', 447700900210];
const uuid = '0b7d3a52-8f0c-4a1e-9a37-2f1f6f1f3c55';
const emails = ['a@host.example', 'Anna <a@host.example>, b@host.example'];

/** Values that a careful person enters beside the example of a field, by its name or its resource and name. */
const goodValues: Record<string, unknown[]> = {
	phone: phones,
	to: phones,
	routeNumber: ['+44 1632 960710'],
	fromNumber: ['+441632960711', ''],
	search: ['7700', ''],
	'email.to': emails,
	replyTo: emails.slice(0, 1),
	'voiceCall.filters.to': ['2026-01-31', ''],
	from: ['2026-01-30T10:00:00', ''],
	'bulkCampaign.sentAfter': ['2026-01-31T09:00', 1_790_000_000_000],
	language: ['en', 'pt_BR', ''],
	allowedRecipients: ['447700900210, +44 7700 900211, @host.example', phones],
	excludedRecipients: ['447700900999', []],
	binaryPropertyName: ['data'],
	phoneField: ['phone', 'person.phone', '["phone"]'],
	paramsFields: ['', 'name', 'name, person.age'],
	parametersJson: ['[]', '["Anna", 12]', ['Anna']],
	headerParametersJson: ['{"type": "image"}', { type: 'image' }],
	recipientsJson: ['[{"phone": "447700900210", "params": ["a"]}]', [{ phone: '447700900210' }]],
};

/** Fields that have now a good value and now an odd one; nested ones may be left out. */
const valuesOf = (resource: string, fields: INodeProperties[], path = '') =>
	fc.record(
		Object.fromEntries(fields.map((field) => [field.name, fieldValue(resource, field, path)])),
		{ noNullPrototype: true, ...(path === '' ? {} : { requiredKeys: [] }) },
	);

const mostly = (good: Arbitrary<unknown>, odd: Arbitrary<unknown> = oddValue) =>
	fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: odd });

function fieldValue(resource: string, field: INodeProperties, path: string): Arbitrary<unknown> {
	const { name, type, options = [], typeOptions, placeholder = 'Some text' } = field;
	const choices: unknown[] = map(options as INodePropertyOptions[], 'value');
	const nested = (own: INodeProperties[]) => valuesOf(resource, own, `${path}${name}.`);
	switch (type) {
		case 'options':
			return mostly(fc.constantFrom(...choices));
		case 'multiOptions':
			return mostly(fc.subarray(choices));
		case 'boolean':
			return mostly(fc.boolean());
		case 'number':
			return mostly(fc.integer({ min: typeOptions?.minValue, max: 2_000 }));
		case 'resourceLocator': {
			const value = mostly(fc.constantFrom('', '+1 (415) 555-0100', uuid));
			return mostly(fc.record({ __rl: fc.constant(true), mode: fc.constant('id'), value }));
		}
		case 'collection':
			return mostly(nested(options as INodeProperties[]));
		case 'fixedCollection': {
			const groups = mapValues(keyBy(options as INodePropertyCollection[], 'name'), ({ values }) =>
				typeOptions?.multipleValues ? fc.array(nested(values), { maxLength: 3 }) : nested(values),
			);
			return mostly(fc.record(groups as Record<string, Arbitrary<unknown>>));
		}
		default: {
			const example = [placeholder.replace('e.g. ', '')];
			const good = goodValues[`${resource}.${path}${name}`] ?? goodValues[name] ?? example;
			return mostly(mostly(fc.constantFrom(...good), oddText));
		}
	}
}

/** Input items with the fields that the bulk operation reads. */
const oddItems = fc.array(
	fc.record({
		json: fc.record(
			{
				phone: fc.oneof(fc.constantFrom('447700900210', '+44 7700 900211'), oddValue),
				name: oddValue,
				person: oddValue,
			},
			{ requiredKeys: [], noNullPrototype: true },
		),
	}),
	{ maxLength: 3 },
);

/** Reads the parameters checked as in a workflow, and the file with the real reader. */
async function requestsOf(
	{ choice }: DescribedOperation,
	parameters: Record<string, unknown>,
	items: readonly unknown[],
	binary: unknown,
): Promise<ApiRequest[]> {
	const operation = findOperation(choice.resource, choice.operation);
	if (!operation) throw new Error('No such operation');
	const context = {
		helpers: { assertBinaryData: () => binary },
		getInputData: () => [{ json: {}, binary: { data: binary } }],
	} as unknown as IExecuteFunctions;
	const file = async (name: string) => await binaryFile(context, 0, get(parameters, name));
	const read = Object.assign(fakeRead(operation.fields, parameters), { file });
	const reader = fakeReader(read, items.length);
	readSettings(operation, reader);
	if (operation.kind === 'item') return [(await operation.plan(read)).request];
	return map((await operation.plan(reader, items as INodeExecutionData[])).plans, 'request');
}

/** Reads a form as a server does: its parts must be those of the request, with the same content. */
async function expectSameForm(form: NonNullable<ApiRequest['form']>): Promise<void> {
	const { body, headers } = await multipart(form);
	const bytes = body as Buffer;
	expect(headers['Content-Length']).toBe(bytes.length);
	const type = headers['Content-Type'];
	const received = await new Response(bytes, { headers: { 'content-type': type } }).formData();
	const { file, ...fields } = Object.fromEntries(received.entries());
	expect([...received.keys()].sort()).toEqual([...Object.keys(form.fields), 'file'].sort());
	expect(fields).toEqual(mapValues(form.fields, (text) => Buffer.from(text).toString()));
	expect(file).toBeInstanceOf(File);
	expect(Buffer.from(await (file as File).arrayBuffer())).toEqual(await form.file.open());
}

test.each(describedOperations)(
	'$name: every odd input ends in a clear message or in a correct request',
	async (operation) => {
		const { choice, fields } = operation;
		const input = fc.tuple(
			valuesOf(choice.resource, fields),
			choice.resource === 'bulkCampaign' ? oddItems : fc.constant([]),
			fields.some(({ name }) => name === 'binaryPropertyName') ? oddBinary : fc.constant({}),
		);
		let made = 0;
		await fc.assert(
			fc.asyncProperty(input, async ([parameters, items, binary]) => {
				const result = await inputFailureOr(0, async () => {
					const requests = await requestsOf(operation, parameters, items, binary);
					// What cannot be part of an address is rejected like a parameter.
					requests.forEach(pathOf);
					return requests;
				});
				if (result instanceof Failure) {
					expect(unclear(result.message)).toBeUndefined();
					expect(unclear(result.description)).toBeUndefined();
					return;
				}
				made++;
				for (const request of result) {
					expect(malformed(request)).toBeUndefined();
					if (request.form) await expectSameForm(request.form);
				}
			}),
			{ seed, numRuns },
		);
		// Otherwise the good values are no longer valid, and only rejections are tested.
		expect(made).toBeGreaterThan(numRuns / 20);
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	},
	patience,
);
