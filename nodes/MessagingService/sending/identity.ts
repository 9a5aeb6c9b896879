import { toLower, uniq } from 'lodash';
import { createHash } from 'node:crypto';
import type { IDataObject, INode } from 'n8n-workflow';
import type { BinaryFile } from '../api/binaryFile';
import type { ApiRequest } from '../api/client';
import type { Job } from '../job';

/** A short fingerprint of anything that can be written as JSON. */
export const fingerprint = (...values: unknown[]): string =>
	createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 10);

/** The service behind a base URL, whichever credential or protocol reaches it. */
export const serviceOf = (baseUrl: string): string => {
	const { host, pathname } = new URL(baseUrl);
	return fingerprint(host, pathname);
};

/** Whether n8n made the node from this one, for an agent to call. */
export const isTool = ({ type }: INode): boolean => type.endsWith('Tool');

/** What a send is, before equal ones are counted (docs/contract.md, section 4.3). */
export interface Source {
	/** Whom it reaches as a whole: in the same list, this tells whether a place holds the same send. */
	whom: string;
	/** The same one by one: of an email each address; of a chunk "a campaign", or its key. */
	people: string[];
	/** Whom it reaches, and with what. */
	content: string;
}

/** Describes a send; undefined for a job without a request. */
export function sourceOf(job: Job, service: string): Source | undefined {
	const { plan, recipients, campaign, key } = job;
	if (!plan) return undefined;
	const all = recipients ?? whomOf(plan.request);
	const whom = fingerprint(service, all, campaign);
	if (recipients) {
		const people = [key === undefined ? 'campaign' : `key ${service} ${key}`];
		return { whom, people, content: whom };
	}
	const people = all.map((one) => fingerprint(service, one));
	return { whom, people, content: fingerprint(whom, contentOf(plan.request, plan.file)) };
}

/** Whom a request reaches, however the number or the addresses are written. */
function whomOf({ body, form }: ApiRequest): string[] {
	const { phone, to } = form?.fields ?? (body as IDataObject);
	const all = toLower(String(phone ?? to).normalize());
	const bare = (one: string) =>
		one.includes('@') ? one : one.replace(/[^\p{L}\p{N}]/gu, '').replace(/^00/, '');
	return uniq(all.split(', ').map(bare)).sort();
}

/** What is sent, whomever it reaches; of a file only its name, type and size. */
function contentOf({ endpoint, body, form }: ApiRequest, file?: BinaryFile): string {
	const { fileName, mimeType, size } = form?.file ?? file ?? {};
	const content = { ...body, ...form?.fields, phone: undefined, to: undefined };
	return fingerprint(endpoint.path, content, [fileName, mimeType, size]);
}
