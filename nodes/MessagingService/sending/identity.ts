import { createHash, type Hash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { BinaryFile } from '../api/binaryFile';
import { credentialType, type ApiRequest } from '../api/client';

/** A short fingerprint of anything that can be written as JSON. */
export const fingerprint = (...values: unknown[]): string =>
	short(createHash('sha256').update(JSON.stringify(values)));

const short = (hash: Hash): string => hash.digest('base64url').slice(0, 10);

/**
 * The account that sends go through: a credential, and the address of its service however it is
 * written (docs/contract.md, section 4.3). Its key may change.
 */
export const accountOf = (context: IExecuteFunctions, baseUrl: string): string => {
	const { host, pathname } = new URL(baseUrl);
	return fingerprint(context.getNode().credentials?.[credentialType]?.id ?? null, host, pathname);
};

/** The execution that this one was retried from, or itself: n8n keeps its time across retries. */
export const lineageOf = (context: IExecuteFunctions): string =>
	String(context.getExecutionContext()?.establishedAt ?? context.getExecutionId());

/** The number that n8n gives this run of the node in the execution: a loop has several. */
export const runIndexOf = (context: IExecuteFunctions): string =>
	String(context.getWorkflowDataProxy(0).$runIndex ?? 0);

/** Whom a request reaches, as it goes out (docs/service.md, sections 4.4 to 4.15). */
export function recipientOf({ body, form }: ApiRequest): unknown {
	const { phone, to } = form?.fields ?? (body as IDataObject);
	return phone ?? to;
}

/** A fingerprint of what is sent. Of a file it holds the description only. */
export const contentOf = ({ endpoint, body, form }: ApiRequest, file?: BinaryFile): string => {
	const { fileName, mimeType, size } = form?.file ?? file ?? {};
	const content = Buffer.isBuffer(body) ? body.toString() : body;
	return fingerprint(endpoint.path, content, form?.fields, [fileName, mimeType, size]);
};

/** Items that are written at once: one by one they take twice as long. */
const atOnce = 100;

/** Gives a fingerprint of input items, by which a changed item is known; each is made once. */
export function inputReader(context: IExecuteFunctions): (items: number[]) => string {
	const input = context.getInputData();
	const isTool = context.getNode().type.endsWith('Tool');
	const known = new WeakMap<number[], string>();
	const made = (items: number[]): string => {
		const all = createHash('sha256');
		for (let start = 0; start < items.length; start += atOnce) {
			const some = items.slice(start, start + atOnce);
			all.update(JSON.stringify(some.map((index) => itemContent(input[index], isTool))));
		}
		return short(all);
	};
	return (items) => {
		const print = known.get(items) ?? made(items);
		known.set(items, print);
		return print;
	};
}

/** What makes an item the same. Ids that n8n gives anew in each execution are left out. */
function itemContent(item: INodeExecutionData | undefined, isTool: boolean): unknown {
	const json = isTool ? withoutToolCall(item?.json) : item?.json;
	if (!item?.binary) return json;
	const files = Object.entries(item.binary).map(([name, { id, data, ...file }]) => [
		name,
		file.fileName,
		file.mimeType,
		file.fileSize,
		id === undefined ? data : null,
	]);
	return files.length === 0 ? json : [json, files];
}

const withoutToolCall = (json: IDataObject = {}): IDataObject =>
	Object.fromEntries(Object.entries(json).filter(([name]) => name !== 'toolCallId'));
