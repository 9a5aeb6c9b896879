import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import type { BinaryFile } from '../../api/binaryFile';
import type { ApiRequest, Call } from '../../api/client';
import { InputFailure, itemName } from '../../api/failure';
import type { Reader } from '../../parameters/read';
import { anything, oneOf, requiredName, requiredText } from '../../parameters/schemas';
import { fingerprint } from '../../sending/identity';
import type { Uploads } from '../../operation';
import { uploadFile } from '../media/upload.operation';

/** Where the headers of the recipients come from, besides their own fields. */
export interface Header {
	/** Whether each recipient brings its own. */
	isPerRecipient: boolean;
	/** The header value of the recipients of an input item. */
	value?(item: number): string;
	/** The header media id of the recipients of an input item. */
	mediaId?(item: number): string;
	/** What a JSON recipient has that the header of all recipients would replace. */
	problemOf(recipient: Record<string, unknown>): string | undefined;
	/** Uploads the file and puts its media id into a request that was written before. */
	upload?(request: ApiRequest, configId: string, call: Call, uploads: Uploads): Promise<ApiRequest>;
}

const sources = oneOf(['perRecipient', 'value', 'mediaId', 'binary'] as const);

/** Stands for the media id of a file that is still to be uploaded. */
const mark = 'uploaded before sending';

/** Reads the header of a campaign; throws InputFailure. */
export async function readHeader(reader: Reader, items: INodeExecutionData[]): Promise<Header> {
	switch (reader.same('campaignHeader', sources)) {
		case 'perRecipient':
			return { isPerRecipient: true, problemOf: () => undefined };
		case 'value':
			return forAll('headerValue', { value: reader.column('headerValue', requiredText) });
		case 'mediaId':
			return forAll('headerMediaId', { mediaId: reader.column('headerMediaId', requiredName) });
		case 'binary':
			return forAll('headerMediaId', {
				mediaId: () => mark,
				upload: uploadOnce(await onlyFile(reader, items)),
			});
	}
}

const forAll = (key: string, header: Pick<Header, 'value' | 'mediaId' | 'upload'>): Header => ({
	isPerRecipient: false,
	problemOf: ({ [key]: own }) =>
		own === undefined || own === null || own === ''
			? undefined
			: `it has a ${key} of its own beside that of all recipients`,
	...header,
});

/**
 * The file of the first input item that has one.
 *
 * @throws InputFailure when none has, or another item has another file
 */
async function onlyFile(reader: Reader, items: INodeExecutionData[]): Promise<BinaryFile> {
	const propertyOf = reader.column('binaryPropertyName', anything);
	let first: { item: number; identity: string } | undefined;
	for (let item = 0; item < items.length; item++) {
		const binary = items[item]?.binary;
		if (!binary) continue;
		const property = propertyOf(item);
		const data = typeof property === 'string' ? binary[property] : (property as IBinaryData);
		const identity = data?.id ?? data?.data;
		if (identity === undefined) continue;
		first ??= { item, identity };
		if (first.identity === identity) continue;
		throw new InputFailure(
			`The input items hold different files: one in ${itemName(first.item)}, another in ${itemName(item)}`,
			'The header of a campaign is one file for all recipients. Leave the file in one item, or upload each with Media > Upload and use Header Media ID Field.',
		);
	}
	return await reader(first?.item ?? 0).file('binaryPropertyName');
}

/** Inside a text the quotes would be escaped: this is found where it was written only. */
const written = (id: string): string => `"headerMediaId":${JSON.stringify(id)}`;

/**
 * Uploads a file when the first request needs it, once for each sending number, also if the node is
 * tried again: whether a media id holds for another number is not documented.
 */
function uploadOnce(file: BinaryFile): NonNullable<Header['upload']> {
	const identity = fingerprint(file.identity);
	return async (request, configId, call, uploads) => {
		const key = `${identity} ${configId}`;
		let mediaId = uploads.get(key);
		if (mediaId === undefined) {
			mediaId = String((await uploadFile(call, file, configId)).mediaId);
			uploads.set(key, mediaId);
		}
		const own = written(mediaId);
		const text = String(request.body).replaceAll(written(mark), () => own);
		return { ...request, body: Buffer.from(text) };
	};
}
