import '../support/core/shortWaits';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { omit, pick } from 'lodash';
import {
	NodeApiError,
	NodeOperationError,
	type IBinaryData,
	type IDataObject,
	type INodeExecutionData,
} from 'n8n-workflow';
import { isJsonObject } from '../../nodes/MessagingService/api/response';
import { findOperation } from '../../nodes/MessagingService/actions';
import { findEndpoint } from '../../sandbox/routes';
import type { JournalFile, RequestEntry } from '../../sandbox/journal';
import type { NodeFailure } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';
import { asItemJson, expressionParameters } from '../support/fuzz/expressions';
import { oddParameters } from '../support/fuzz/oddParameters';
import { oddBinary } from '../support/fuzz/oddValues';
import { patience, seed } from '../support/fuzz/runs';
import { unclear } from '../support/fuzz/verdicts';
import { describedOperations, type DescribedOperation } from '../support/operations';

const sandbox = useSandbox();

/** Odd items per operation; test/fuzz/operations.test.ts makes many more requests of them. */
const count = 60;

/** Items per execution. */
const perExecution = 20;

/** Options in which they may not differ. */
const ofRun = ['batching', 'checkBalance', 'maxSends', 'resendUnknown', 'timeout'];

const headerNames = [
	'accept',
	'accept-encoding',
	'connection',
	'content-length',
	'content-type',
	'host',
	'user-agent',
	'x-api-key',
];

/** Items that hold odd parameters and odd files. */
function oddItems({ choice, fields }: DescribedOperation): INodeExecutionData[] {
	const input = fc.tuple(oddParameters(choice.resource, fields), oddBinary);
	const all = fc.sample(input, { seed, numRuns: count }).map(([values, data]) => {
		const json = asItemJson(values);
		const { options } = json;
		if (isJsonObject(options)) {
			// These would wait: for the end of a call that never ends here, and up to 24 days. Others would
			// not wait long enough on a busy machine.
			options.waitForCompletion = false;
			if (typeof options.maxWait !== 'string') options.maxWait = 1;
			options.timeout = 60_000;
			options.batching = { batch: { ...batchOf(options), batchInterval: 0 } };
		}
		// What an operation reads of the item itself.
		const item: IDataObject = { phone: '919876543210', ...json };
		return { json: item, binary: { data: data as unknown as IBinaryData } };
	});
	for (const [place, { json }] of all.entries()) {
		const first = all[place - (place % perExecution)]?.json.options;
		const own = isJsonObject(json.options) ? json.options : {};
		if (place % perExecution > 0) {
			json.options = { ...omit(own, ofRun), ...(isJsonObject(first) && pick(first, ofRun)) };
		}
	}
	return all;
}

function batchOf({ batching }: IDataObject): IDataObject {
	const batch = isJsonObject(batching) ? batching.batch : undefined;
	return isJsonObject(batch) ? batch : {};
}

/** What is unclear in a failed item, if its words are the package's own and not the service's. */
function unclearIn({ error, details }: IDataObject): string | undefined {
	const { outcome, description } = details as IDataObject;
	// What n8n says when an expression meets a method of a text instead of a field.
	const isForeign = outcome === 'rejected' || String(error).startsWith('this is a function');
	return (isForeign ? undefined : unclear(error)) ?? unclear(description);
}

/** A request is as documented in path, headers and form of its body, whatever is in it. */
function expectWellFormed({ method, path, url, headers, contentType, body }: RequestEntry): void {
	expect(findEndpoint(method, path)).toMatchObject({ method });
	expect(url).not.toMatch(/[\s#]/);
	expect(headerNames).toEqual(expect.arrayContaining(Object.keys(headers)));
	expect(headers.accept).toBe('application/json');
	expect(headers['x-api-key']).toBe('[key: production]');
	// Whether there is one is a matter of the endpoint: the sandbox takes no other request.
	if (body === null) return;
	expect(typeof body).toBe('object');
	const { fields = body } = body as { fields?: unknown };
	expect(JSON.stringify(fields)).not.toMatch(
		/\[object \w+\]|\[native code\]|Invalid Date|"(undefined|NaN|-?Infinity)"/,
	);
	if (contentType === 'application/json') return;
	expect(contentType).toMatch(/^multipart\/form-data; boundary=n8n-[0-9a-f-]{36}$/);
	const { files } = body as { files: JournalFile[] };
	expect(files.map(({ field }) => field)).toEqual(['file']);
	expect(files[0]?.filename).not.toMatch(/[\r\n"\0]/);
}

test.each(describedOperations)(
	'$name: odd items end in a clear message or in a well-formed request',
	async (operation) => {
		const { resource, operation: value } = operation.choice;
		const found = findOperation(resource, value);
		const parameters = { ...operation.choice, ...expressionParameters(operation.fields) };
		const all = oddItems(operation);
		// What one operation has sent with a key is not sent by another one of the same node.
		const node = { id: randomUUID() };
		const size = found?.kind === 'joined' ? 1 : perExecution;
		for (let start = 0; start < count; start += size) {
			const items = all.slice(start, start + size);
			const output = await sandbox.json(parameters, {
				items,
				node: { ...node, onError: 'continueRegularOutput' },
			});
			const errors = output.filter(({ error }) => error !== undefined);
			expect(errors.map(unclearIn).filter((text) => text !== undefined)).toEqual([]);
			if (errors.length === 0) continue;

			const failure: NodeFailure = await sandbox.failure(parameters, { items, node });
			expect([NodeApiError, NodeOperationError]).toContain(failure.constructor);
			expect([undefined, ...items.keys()]).toContain(failure.context.itemIndex);
			const { message: error, context } = failure;
			expect(unclearIn({ error, details: context.data })).toBeUndefined();
		}
		const requests = await sandbox.requests();
		requests.forEach(expectWellFormed);
		// A webhook to delete does not exist here.
		const accepted = requests.filter(({ status }) => [200, 201, 404].includes(status ?? 0));
		expect(accepted.length).toBeGreaterThan(0);
	},
	patience,
);
