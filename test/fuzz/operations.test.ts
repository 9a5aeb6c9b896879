import fc from 'fast-check';
import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { findOperation } from '../../nodes/MessagingService/actions';
import { inputFailureOr, type Read } from '../../nodes/MessagingService/parameters/read';
import { binaryFile, multipart } from '../../nodes/MessagingService/api/binaryFile';
import { pathOf, type ApiRequest } from '../../nodes/MessagingService/api/client';
import { Failure } from '../../nodes/MessagingService/api/failure';
import { readSettings } from '../../nodes/MessagingService/running/settings';
import { oddParameters } from '../support/fuzz/oddParameters';
import { oddBinary, oddValue } from '../support/fuzz/oddValues';
import { numRuns, patience, seed } from '../support/fuzz/runs';
import { malformed, unclear } from '../support/fuzz/verdicts';
import { fakeRead, fakeReader, valueAt } from '../support/unit/fakeRead';
import { describedOperations, type DescribedOperation } from '../support/operations';

/** Input items with the fields that the bulk operation is told to read. */
const oddItems = fc.array(
	fc.record({
		json: fc.record(
			{
				phone: fc.oneof(fc.constantFrom('919876543210', '+91 98765 43211'), oddValue),
				name: oddValue,
				person: oddValue,
			},
			{ requiredKeys: [], noNullPrototype: true },
		),
	}),
	{ maxLength: 3 },
);

/** Reads the parameters as checked as in a workflow, and the file with the real reader. */
function readOf(
	fields: INodeProperties[],
	parameters: Record<string, unknown>,
	binary: unknown,
): Read {
	const context = {
		helpers: { assertBinaryData: () => binary },
		getInputData: () => [{ json: {}, binary: { data: binary } }],
	} as unknown as IExecuteFunctions;
	const file = async (name: string) => await binaryFile(context, 0, valueAt(parameters, name));
	return Object.assign(fakeRead(fields, parameters), { file });
}

async function requestsOf(
	{ choice }: DescribedOperation,
	parameters: Record<string, unknown>,
	items: unknown,
	binary: unknown,
): Promise<ApiRequest[]> {
	const operation = findOperation(choice.resource, choice.operation);
	if (!operation) throw new Error('No such operation');
	const read = readOf(operation.fields, parameters, binary);
	const reader = fakeReader(read, (items as unknown[]).length);
	readSettings(operation, reader);
	if (operation.kind === 'item') return [(await operation.plan(read)).request];
	const { plans } = await operation.plan(reader, items as INodeExecutionData[], () => false);
	return plans.map(({ request }) => request);
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
	const sent = Object.entries(form.fields).map(([name, text]) => [
		name,
		Buffer.from(text).toString(),
	]);
	expect(fields).toEqual(Object.fromEntries(sent));
	expect(file).toBeInstanceOf(File);
	expect(Buffer.from(await (file as File).arrayBuffer())).toEqual(await form.file.open());
}

test.each(describedOperations)(
	'$name: every odd input ends in a clear message or in a correct request',
	async (operation) => {
		const { choice, fields } = operation;
		const input = fc.tuple(
			oddParameters(choice.resource, fields),
			choice.resource === 'bulkCampaign' ? oddItems : fc.constant([]),
			fields.some(({ name }) => name === 'binaryPropertyName') ? oddBinary : fc.constant({}),
		);
		let made = 0;
		await fc.assert(
			fc.asyncProperty(input, async ([parameters, items, binary]) => {
				const result = await inputFailureOr(0, async () => {
					const requests = await requestsOf(operation, parameters, items, binary);
					// What cannot be part of an address is refused like a parameter.
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
		// Otherwise the good values are none any more, and nothing but refusals is tested.
		expect(made).toBeGreaterThan(numRuns / 20);
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	},
	patience,
);
