import { compact, toLower, uniq } from 'lodash';
import { createHash } from 'node:crypto';
import type { IDataObject, INode } from 'n8n-workflow';
import type { BinaryFile } from '../api/binaryFile';
import type { ApiRequest } from '../api/client';
import type { Audience, Content, Job, Send } from '../job';

/** A short fingerprint of anything that can be written as JSON. */
export const fingerprint = (...values: unknown[]): string =>
	createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 10);

/** Whether the node is n8n's tool variant, for agents. */
export const isTool = ({ type }: INode): boolean => type.endsWith('Tool');

/** The id of a key at a service: the same in every execution, with every credential, over http and https. */
function keyIdOf(baseUrl: string, key: string): string {
	const { host, pathname } = new URL(baseUrl);
	return `key ${fingerprint(host, pathname, key)}`;
}

export const isKey = (id: string): boolean => id.startsWith('key ');

/** Stands in for the recipients when the sends of a campaign are counted: each chunk counts once. */
export const campaignRecipient = 'campaign';

/**
 * Describes a job's send, still without its id; undefined for a job without a request. Without a base URL, a key
 * does not count.
 */
export function sendOf(job: Job, baseUrl?: string): Send | undefined {
	const { plan, recipients, key } = job;
	if (!plan) return undefined;
	const all = recipients ? [...recipients].sort() : recipientsIn(plan.request);
	const audience = fingerprint(all, job.campaign) as Audience;
	const size = all.length;
	// What a chunk says is in `campaign`; the placeholder values of its rows don't matter.
	const content = (
		recipients ? audience : fingerprint(audience, contentOf(plan.request, plan.file))
	) as Content;
	const keyId = baseUrl === undefined || key === undefined ? undefined : keyIdOf(baseUrl, key);
	const countedFor = recipients
		? compact([campaignRecipient, keyId])
		: all.map((one) => fingerprint(one));
	return { audience, countedFor, content, keyId, size };
}

/** The recipient of a send's request as it is sent, several separated by commas; undefined if it names none. */
export function sentTo({ body = {}, form }: ApiRequest): IDataObject[string] {
	const { phone, to = phone }: IDataObject = form?.fields ?? body;
	return to;
}

/** The recipients of a request, sorted and normalized, so that their spelling does not matter. */
function recipientsIn(request: ApiRequest): string[] {
	const to = sentTo(request);
	if (to === undefined)
		throw new Error('The request of a send must name its recipients in "phone" or "to"');
	const bare = (one: string) => (one.includes('@') ? one : one.replace(/[^\p{L}\p{N}]/gu, ''));
	return uniq(toLower(String(to).normalize()).split(', ').map(bare)).sort();
}

/** Hash of the content without recipients. A file counts only by its name, type and size. */
function contentOf({ endpoint, body, form }: ApiRequest, file?: BinaryFile): string {
	const { fileName, mimeType, size } = form?.file ?? file ?? {};
	const content = { ...body, ...form?.fields, phone: undefined, to: undefined };
	return fingerprint(endpoint.path, content, [fileName, mimeType, size]);
}
