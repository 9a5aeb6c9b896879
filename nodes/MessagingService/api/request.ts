import type { IDataObject } from 'n8n-workflow';
import type { BinaryFile } from './binaryFile';

/** One request to the service, before credentials and base URL are added. */
export interface ApiRequest {
	method: 'GET' | 'POST' | 'DELETE';
	/** Path below the base URL, e.g. `/chat/send`. */
	path: string;
	query?: Record<string, string | number>;
	/** Sent as JSON. */
	body?: IDataObject;
	/** The JSON body as it goes out, where it has been written already. */
	json?: Buffer;
	/** Names of the fields in `json`, where there is no `body`. */
	fields?: string[];
	/** Sent as multipart/form-data instead of JSON. */
	form?: { fields: Record<string, string>; file: BinaryFile };
	/** How many records of a list are wanted; Infinity for all. */
	wanted?: number;
	/** A file to upload first; its media id joins the body. */
	upload?: BinaryFile;
}

/** How one request is made. */
export interface CallOptions {
	/** Milliseconds until the request is given up; a minute if not set. */
	timeout?: number;
	/** No repetition of failed reads, where n8n itself repeats the whole step. */
	once?: boolean;
}

/** Makes a request and returns the service's JSON; throws a `Failure`. */
export type Call = (request: ApiRequest) => Promise<IDataObject>;

/** Milliseconds a request may take unless the user says otherwise. */
export const defaultTimeout = 60_000;

/** The JSON body of a request as it goes out. */
export const writtenJson = ({ json, body }: ApiRequest): Buffer | undefined =>
	json ?? (body && Buffer.from(JSON.stringify(body)));

/** A copy without the values that are undefined or empty: the service's defaults apply then. */
export function withoutEmpty<T extends IDataObject>(values: T): T {
	return Object.fromEntries(
		Object.entries(values).filter(([, value]) => value !== undefined && value !== ''),
	) as T;
}
