import type { IDataObject } from 'n8n-workflow';
import type { BinaryFile } from './binaryFile';
import type { Endpoint } from './endpoints';

/** One request to the service, before credentials and base URL are added. */
export interface ApiRequest {
	endpoint: Endpoint;
	/** Values for the `:name` parts of the endpoint's path. */
	params?: Record<string, string>;
	query?: Record<string, string | number>;
	/** Sent as JSON; bytes are JSON that has been written already. */
	body?: IDataObject | Buffer;
	/** Sent as multipart/form-data instead of JSON. */
	form?: { fields: Record<string, string>; file: BinaryFile };
	/** What the editor calls the parameter that fills a field of the service. */
	labelOf?(field: string): string | undefined;
}

/** How one request is made. */
export interface CallOptions {
	/** Milliseconds until the request is given up; a minute if not set. */
	timeout?: number;
	/** No repetition of failed reads, where n8n itself repeats the whole step. */
	once?: boolean;
	/** Whether a read is made although it was made before in this run: the list has changed since. */
	fresh?: boolean;
}

/** Makes a request and returns the service's JSON; throws a `Failure`. */
export type Call = (request: ApiRequest, options?: CallOptions) => Promise<IDataObject>;

/** Milliseconds a request may take unless the user says otherwise. */
export const defaultTimeout = 60_000;

/** Milliseconds that the test of a credential may take, while somebody waits for it. */
export const testTimeout = 20_000;

/** The path of a request with its parameters filled in. */
export const pathOf = ({ endpoint, params = {} }: ApiRequest): string =>
	endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** Whether a request changes nothing, so that it can be made again. */
export const isRead = ({ endpoint }: ApiRequest): boolean => endpoint.method === 'GET';

/** A copy without the values that are undefined or empty: the service's defaults apply then. */
export function withoutEmpty<T extends IDataObject>(values: T): T {
	return Object.fromEntries(
		Object.entries(values).filter(([, value]) => value !== undefined && value !== ''),
	) as T;
}
