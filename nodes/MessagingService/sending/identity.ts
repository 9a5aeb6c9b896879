import { createHash, type Hash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { credentialType } from '../api/client';

/** A short fingerprint of anything that can be written as JSON. */
export const fingerprint = (...values: unknown[]): string =>
	short(createHash('sha256').update(JSON.stringify(values)));

const short = (hash: Hash): string => hash.digest('base64url').slice(0, 16);

/** The credential and the service that sends go through (docs/contract.md, section 4.3). */
export const accountOf = (context: IExecuteFunctions, baseUrl: string): string =>
	// However it is written: a host in capitals is the same one.
	fingerprint(context.getNode().credentials?.[credentialType]?.id ?? null, new URL(baseUrl).href);

/** The execution that this one was retried from, or itself: n8n keeps its time across retries. */
export const lineageOf = (context: IExecuteFunctions): string =>
	String(context.getExecutionContext()?.establishedAt ?? context.getExecutionId());

/**
 * The number of this run of the node in the execution, from 0.
 *
 * After a crash n8n counts the runs from before it, too, but begins with an empty context: the first
 * run that finds it empty is run 0.
 */
export function runOf(context: IExecuteFunctions): number {
	const runIndex = Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
	const stored = context.getContext('node');
	stored.firstRun ??= runIndex;
	return runIndex - Number(stored.firstRun);
}

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
			all.update(JSON.stringify(some.map((index) => contentOf(input[index], isTool))));
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
function contentOf(item: INodeExecutionData | undefined, isTool: boolean): unknown {
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
