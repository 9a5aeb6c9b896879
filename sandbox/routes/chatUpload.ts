import { TEXTS } from '../choices';
import { ok } from '../http/answer';
import type { Endpoint } from '../http/endpoint';
import { ServiceError } from '../http/serviceError';
import { kindOfFile } from '../state/mediaTypes';

/** POST /chat/upload (docs/service.md, section 4.7). */
export const chatUpload: Endpoint = {
	method: 'POST',
	path: '/chat/upload',
	scope: ({ uploadScope }) => (uploadScope ? 'chat:send' : null),
	handle: async (context) => {
		const { chatNumbers, media } = context.world.state;
		const { fields, files } = await context.form();
		const file = files.find((one) => one.field === 'file');
		if (!file) throw new ServiceError(400, TEXTS.fileRequired);
		if (fields.configId) chatNumbers.require(fields.configId);
		const { filename, mimeType, size } = file;
		const type = kindOfFile(filename, mimeType);
		if (!type) throw new ServiceError(400, TEXTS.mediaType);
		const stored = media.add({ type, mimeType, filename, size });
		return ok({ success: true, ...stored, message: TEXTS.fileUploaded });
	},
};
