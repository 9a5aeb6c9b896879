import type { IDataObject } from 'n8n-workflow';
import { requireId } from '../../api/response';
import type { BinaryFile } from '../../api/binaryFile';
import { withoutEmpty, type ApiRequest, type Call } from '../../api/request';
import { binaryField } from '../../parameters/binaryField';
import { numberField, readNumber } from '../../parameters/numberField';
import { optionsField } from '../../parameters/sendOptions';
import type { Operation } from '../operation';

const id = 'mediaId';

/** POST /chat/upload: a file for later messages (docs/service.md, section 4.7). */
export const upload: Operation = {
	value: 'upload',
	name: 'Upload',
	action: 'Upload a media file',
	description: 'Upload a file and get a media ID for messages and template headers',
	id,
	fields: [binaryField, numberField, optionsField()],
	request: async (read) => uploadRequest(await read.file('binaryPropertyName'), readNumber(read)),
};

/** Uploads a file; the answer has its `mediaId`. */
export async function uploadFile(
	call: Call,
	file: BinaryFile,
	configId?: string,
): Promise<IDataObject> {
	const request = uploadRequest(file, configId);
	return requireId(await call(request), id, request);
}

const uploadRequest = (file: BinaryFile, configId = ''): ApiRequest => ({
	method: 'POST',
	path: '/chat/upload',
	form: { fields: withoutEmpty({ configId }), file },
});
