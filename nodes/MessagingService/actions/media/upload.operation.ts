import { sendingNumber } from '../../parameters/schemas';
import type { BinaryFile } from '../../api/binaryFile';
import { withoutEmpty, type ApiRequest, type Call } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import { withValue } from '../../api/response';
import { binaryField, sendingNumberField } from '../../parameters/sharedFields';
import type { ItemOperation } from '../../operation';

/** POST /chat/upload: a file for later messages (docs/service.md, section 4.7). */
export const upload: ItemOperation = {
	kind: 'item',
	value: 'upload',
	action: 'Upload media file',
	description: 'Upload a file and get a media ID for messages and template headers',
	fields: [binaryField, sendingNumberField],
	plan: async (read) => ({
		request: uploadRequest(await read.file('binaryPropertyName'), read('configId', sendingNumber)),
	}),
	output: (response) => [withValue(response, 'mediaId')],
};

export const uploadFile = async (call: Call, file: BinaryFile, configId?: string) =>
	withValue(await call(uploadRequest(file, configId)), 'mediaId');

const uploadRequest = (file: BinaryFile, configId = ''): ApiRequest => ({
	endpoint: endpoints.upload,
	form: { fields: withoutEmpty({ configId }), file },
});
