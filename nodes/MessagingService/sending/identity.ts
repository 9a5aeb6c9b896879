import { chunk, countBy, sortBy, toLower, uniq } from 'lodash';
import { createHash, randomUUID, type Hash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import type { BinaryFile } from '../api/binaryFile';
import type { ApiRequest } from '../api/client';
import { isChunk, type Job, type Source } from '../job';

/** All jobs as their rows follow each other, whichever of them are sent already. */
export const inRowOrder = (jobs: Job[]): Job[] =>
	jobs.some(isChunk) ? sortBy(jobs, ({ place }) => parseInt(place)) : jobs;

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

/**
 * What an execution and those that are retried from it have in common: when the first of them began.
 * Of a sub-workflow a crash takes that along, but not which execution has called it.
 */
export function lineageOf(context: IExecuteFunctions): string {
	const { establishedAt, parentExecutionId: caller } = context.getExecutionContext() ?? {};
	if (caller !== undefined) return `called by ${caller}`;
	return String(establishedAt ?? (context.getExecutionId() || randomUUID()));
}

/** Items that are written at once: one by one they take twice as long. */
const atOnce = 100;

/** Whether n8n made the node from this one, for an agent to call. */
export const isTool = ({ type }: INode): boolean => type.endsWith('Tool');

/** Gives a fingerprint of input items, by which a changed item is known. */
export function inputReader(context: IExecuteFunctions): (items: number[]) => string {
	const input = context.getInputData();
	const isCall = isTool(context.getNode());
	return (items) => {
		const all = createHash('sha256');
		for (const some of chunk(items, atOnce))
			all.update(JSON.stringify(some.map((index) => itemContent(input[index], isCall))));
		return short(all);
	};
}

/** What makes an item the same. Ids that n8n gives anew in each execution are left out. */
function itemContent(item: INodeExecutionData | undefined, isCall: boolean): unknown {
	const json = isCall ? { ...item?.json, toolCallId: undefined } : item?.json;
	const files = Object.entries(item?.binary ?? {}).map(([name, { id, data, ...file }]) => [
		name,
		file.fileName,
		file.mimeType,
		file.fileSize,
		id === undefined ? data : null,
	]);
	return files.length === 0 ? json : [json, files];
}

/** Whom a job reaches; undefined for one that cannot be made. */
export function sourceOf({ plan, recipients }: Job, service: string): Source | undefined {
	if (!plan) return undefined;
	const all = recipients ?? whomOf(plan.request);
	const to = fingerprint(service, all);
	const each = recipients ? [] : all.map((one) => fingerprint(service, one));
	return { to, each, content: fingerprint(to, contentOf(plan.request, plan.file)) };
}

/**
 * Whom a request reaches, however the number or the addresses are written (docs/service.md, sections
 * 4.4 to 4.15).
 */
function whomOf({ body, form }: ApiRequest): string[] {
	const { phone, to } = form?.fields ?? (body as IDataObject);
	const all = toLower(String(phone ?? to).normalize());
	const bare = (one: string) =>
		one.includes('@') ? one : one.replace(/[^\p{L}\p{N}]/gu, '').replace(/^00/, '');
	return uniq(all.split(', ').map(bare)).sort();
}

/** What is sent, whomever it reaches. Of a file only the description. */
function contentOf({ endpoint, body, form }: ApiRequest, file?: BinaryFile): string {
	const { fileName, mimeType, size } = form?.file ?? file ?? {};
	const content = { ...body, ...form?.fields, phone: undefined, to: undefined };
	return fingerprint(endpoint.path, content, [fileName, mimeType, size]);
}

/** Numbers equal texts over the whole execution, from 1. */
export type Numbering = (text: string) => number;

/**
 * Says by what other tries know the sends of a run: whom they reach, and their input or what is sent
 * (docs/contract.md, section 4.3). Equal ones are counted over the whole execution.
 *
 * @param name what is the same in all tries of the execution, and in no other
 */
export function identify(jobs: Job[], name: string, numbering: Numbering): void {
	const inputs = countBy(jobs, 'input');
	const contents = countBy(jobs, ({ source }) => source?.content);
	for (const job of jobs) {
		const { input = '', source, plan, key } = job;
		// Items that cannot be read count, too, or the others would have other numbers once they can.
		const number = numbering(`f${input}`);
		if (!source) continue;
		const { to, each, content } = source;
		const isSeveral = number > 1 || (inputs[input] ?? 0) > 1;
		const byContent = `${name} c${content} ${numbering(`c${content}`)}`;
		// In the same list the n-th of equal inputs is the same. In another one only what is sent tells which
		// is which, or of files that look the same nothing better.
		const byInput = `${name} i${fingerprint(to, input)}${isSeveral ? ` ${number}` : ''}`;
		const hasTwin = plan?.file !== undefined && (contents[content] ?? 0) > 1;
		const several = { several: `${name} several ${input}`, isSeveral };
		const ids = hasTwin ? [byInput] : [byInput, byContent];
		if (key !== undefined) {
			const ofKey = `k${fingerprint(to, key)}`;
			ids.push(`${name} ${ofKey} ${numbering(ofKey)}`);
		}
		job.send = { ...several, each, ids };
	}
}

/**
 * Says the same of the chunks of campaigns: all recipients tell which one it is, and a number where
 * several have the same. One that this execution remembers keeps its own.
 */
export function identifyChunks(jobs: Job[], name: string, numbering: Numbering): void {
	const taken = new Set(jobs.map(({ chunkId }) => chunkId));
	for (const job of jobs) {
		if (!job.source) continue;
		const of = `r${job.source.to}`;
		const isKnown = job.chunkId !== undefined;
		let id = job.chunkId ?? `${of} ${numbering(of)}`;
		while (!isKnown && taken.has(id)) id = `${of} ${numbering(of)}`;
		job.chunkId = id;
		job.send = { ids: [`${name} ${id}`] };
	}
}
