import { countBy, uniq } from 'lodash';
import { createHash, type Hash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { BinaryFile } from '../api/binaryFile';
import type { ApiRequest } from '../api/client';
import { inRowOrder, isChunk, type Job } from './plan';
import type { Results, Source } from './results';
import type { Send } from './sendLog';

/** A short fingerprint of anything that can be written as JSON. */
export const fingerprint = (...values: unknown[]): string =>
	short(createHash('sha256').update(JSON.stringify(values)));

const short = (hash: Hash): string => hash.digest('base64url').slice(0, 10);

/**
 * The service that sends go through, however its address is written: whoever was reached was reached,
 * whichever credential or key it was with (docs/contract.md, section 4.3).
 */
export const serviceOf = (baseUrl: string): string => {
	const { host, pathname } = new URL(baseUrl);
	return fingerprint(host, pathname);
};

/** The execution that this one was retried from, or itself: n8n keeps its time across retries. */
export const lineageOf = (context: IExecuteFunctions): string =>
	String(context.getExecutionContext()?.establishedAt ?? context.getExecutionId());

/** The number that n8n gives this run of the node in the execution: a loop has several. */
export const runIndexOf = (context: IExecuteFunctions): string =>
	String(context.getWorkflowDataProxy(0).$runIndex ?? 0);

/**
 * Whom a request reaches, however the number or the addresses are written (docs/service.md, sections
 * 4.4 to 4.15).
 */
function whomOf({ body, form }: ApiRequest): string[] {
	const { phone, to } = form?.fields ?? (body as IDataObject);
	const all = String(phone ?? to)
		.toLowerCase()
		.split(', ');
	return uniq(all.map((one) => one.replace(/^\+/, ''))).sort();
}

/** A fingerprint of what is sent, whomever it reaches. Of a file it holds the description only. */
function contentOf({ endpoint, body, form }: ApiRequest, file?: BinaryFile): string {
	const { fileName, mimeType, size } = form?.file ?? file ?? {};
	const content = Buffer.isBuffer(body)
		? body.toString()
		: { ...body, ...form?.fields, phone: undefined, to: undefined };
	return fingerprint(endpoint.path, content, [fileName, mimeType, size]);
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

/** How the sends of a run are known. */
export interface Identity {
	/** What is the same in all tries of the execution. */
	name: string;
	service: string;
	results: Results;
	/** Fingerprint of input items. */
	inputOf(items: number[]): string;
	/** Whether the list is known as a whole. */
	isWhole: boolean;
}

/**
 * Says by what other tries know the sends of a run: whom they reach, and their input or what is sent
 * (docs/contract.md, section 4.3). Equal ones are counted over the whole execution.
 */
export function identify(jobs: Job[], identity: Identity): void {
	const { name, service, results, inputOf, isWhole } = identity;
	const numbering = results.numbering();
	// In short, because n8n saves them: from an input, the input for somebody, a content, the rows of a chunk.
	const numbered = (text: string) => {
		const number = numbering(text);
		return { id: `${name} ${text} ${number}`, number };
	};
	const sent = new Set(jobs.flatMap(({ source, nth }) => (nth ? [`r${source?.to} ${nth}`] : [])));
	const inputs = countBy(jobs, ({ items }) => inputOf(items));
	const contents = countBy(jobs, ({ source }) => source?.content);
	const chunks: Record<string, number> = {};
	let place = 0;
	const sendOf = (job: Job): Send => {
		const { items, plan, source } = job;
		const key = job.key && `key ${service} ${job.key}`;
		if (isChunk(job)) {
			const text = `r${source?.to}`;
			// A key is that of all campaigns of a run: of chunks to the same recipients each has its own.
			const number = (chunks[text] = (chunks[text] ?? 0) + 1);
			let nth = job.nth ?? numbering(text);
			while (!job.nth && sent.has(`${text} ${nth}`)) nth = numbering(text);
			return { ids: [`${name} ${text} ${nth}`], key: key && `${key} ${source?.to} ${number}` };
		}
		if (isWhole) {
			if (!source) return { ids: [] };
			return { ids: [`${name} ${results.round.number} at ${place}`], place: place++, key };
		}
		const print = inputOf(items);
		const { id: from, number } = numbered(`f${print}`);
		if (!source) return { ids: [], from };
		const { to, content } = source;
		const isSeveral = number > 1 || (inputs[print] ?? 0) > 1;
		const byContent = numbered(`c${content}`).id;
		const send = { to, from, key, several: `${name} several ${print}`, isSeveral };
		// In the same list the n-th of equal inputs is the same. In another one only what is sent tells which
		// is which, or of files that look the same nothing better.
		const byInput = `${name} i${fingerprint(to, print)}${isSeveral ? ` ${number}` : ''}`;
		if (plan?.file && (contents[content] ?? 0) > 1) return { ...send, ids: [byInput] };
		return { ...send, ids: [byInput, byContent] };
	};
	for (const job of inRowOrder(jobs)) job.send = sendOf(job);
}

/** What a job is made from; undefined for one that cannot be made. */
export function sourceOf(
	{ items, plan, recipients }: Job,
	service: string,
	inputOf: (items: number[]) => string,
): Source | undefined {
	if (!plan) return undefined;
	const { request, file } = plan;
	const to = fingerprint(service, recipients ?? whomOf(request));
	const content = fingerprint(to, contentOf(request, file));
	return { input: inputOf(items), to, content };
}
