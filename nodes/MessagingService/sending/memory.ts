import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { BinaryFile } from '../api/binaryFile';
import { Failure } from '../api/failure';
import { writtenJson, type ApiRequest } from '../api/request';

/** What is known of a request that an earlier try of this execution made. */
type Remembered =
	| { key: string; answer: IDataObject }
	| {
			key: string;
			unknown: {
				message: string;
				description: string;
				statusCode: number | null;
				facts: IDataObject;
			};
	  };

const contextKey = 'sends';

/**
 * Remembers which sends of this run were accepted or may have been, so that a retry of the node in
 * the same execution does not send them twice (docs/contract.md, section 4.3 and 4.4).
 *
 * It lives in the node's context, which n8n keeps across "Retry On Fail" and saves with a failed
 * execution. Another run of the node in the same execution (a loop) has a memory of its own.
 */
export class Memory {
	private readonly runs: Record<string, Record<string, Remembered>>;

	private readonly run: Record<string, Remembered>;

	constructor(
		context: IExecuteFunctions,
		private readonly runIndex: number,
	) {
		const stored = context.getContext('node');
		stored[contextKey] ??= {};
		this.runs = stored[contextKey] as Record<string, Record<string, Remembered>>;
		this.run = this.runs[runIndex] ??= {};
	}

	/** The answer of an accepted send with the same place and content. */
	accepted(place: number, request: ApiRequest): IDataObject | undefined {
		const remembered = this.recall(place, request);
		return remembered && 'answer' in remembered ? remembered.answer : undefined;
	}

	/** The failure of a send with the same place and content whose outcome stayed unknown. */
	unknown(place: number, request: ApiRequest): Failure | undefined {
		const remembered = this.recall(place, lasting(request));
		if (!remembered || !('unknown' in remembered)) return undefined;
		const { message, ...options } = remembered.unknown;
		return new Failure(message, { outcome: 'unknown', ...options });
	}

	rememberAccepted(place: number, request: ApiRequest, answer: IDataObject): void {
		this.run[place] = { key: requestKey(request), answer };
	}

	rememberUnknown(place: number, request: ApiRequest, failure: Failure): void {
		const { message, description, statusCode, facts } = failure;
		this.run[place] = {
			key: requestKey(lasting(request)),
			unknown: { message, description, statusCode, facts },
		};
	}

	/** Forgets this run: everything went out and nothing is left to retry. */
	clear(): void {
		delete this.runs[this.runIndex];
	}

	private recall(place: number, request: ApiRequest): Remembered | undefined {
		const remembered = this.run[place];
		return remembered && remembered.key === requestKey(request) ? remembered : undefined;
	}
}

/**
 * A retry from the list of executions is a new execution: what may have been sent must be known
 * there by what does not change. What was accepted there counts only if all of it is the same.
 */
const lasting = (request: ApiRequest): ApiRequest =>
	request.lasting ? { ...request, body: request.lasting, json: undefined } : request;

/** A short fingerprint of everything that makes two sends the same. */
function requestKey(request: ApiRequest): string {
	const { path, form, upload } = request;
	const files = JSON.stringify([path, form?.fields, fileFacts(form?.file), fileFacts(upload)]);
	return createHash('sha256')
		.update(files)
		.update(writtenJson(request) ?? '')
		.digest('base64url')
		.slice(0, 22);
}

const fileFacts = (file: BinaryFile | undefined) =>
	file && [file.fileName, file.mimeType, file.size, file.identity];
