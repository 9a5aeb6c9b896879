import { find } from 'lodash';
import { z } from 'zod';
import { costs, mediaFormats, mediaKinds, type MediaKind } from '../documented';
import type { Endpoint } from '../http/endpoint';
import { ServiceError } from '../http/error';
import type { Context } from '../http/request';
import { chatPhone, isPublicHttpsUrl, schema, text } from '../http/validate';
import { sendMessage } from '../lifecycle';
import { senderOf } from '../state/account';

/** The kind of media of an uploaded file: a document, unless another kind names its format. */
const kindOf = (mimeType: string): MediaKind =>
	mediaKinds.find((kind) => mediaFormats[kind].includes(mimeType)) ?? 'document';

/** POST /chat/upload (docs/service.md, section 4.7). */
export const chatUpload: Endpoint = {
	method: 'POST',
	path: '/chat/upload',
	scope: null,
	openScope: 'chat:send',
	handle: async (context) => {
		const { fields, files } = await context.form();
		const file = find(files, { field: 'file' });
		if (!file) throw new ServiceError(400, 'file is required');
		const { random, media } = context.state;
		if (fields.configId) senderOf(context.state, fields.configId);
		const { filename, mimeType, size } = file;
		const mediaId = random.digits(16);
		const type = kindOf(mimeType);
		media.set(mediaId, { type, filename });
		return { success: true, mediaId, type, mimeType, filename, size, message: 'File uploaded' };
	},
};

const body = schema({
	phone: chatPhone,
	type: z.enum(mediaKinds),
	mediaUrl: text
		.pipe(z.string().refine(isPublicHttpsUrl, 'must be a publicly reachable HTTPS URL'))
		.optional(),
	mediaId: text.optional(),
	caption: z.string().optional(),
	filename: z.string().optional(),
	configId: z.string().optional(),
});

/** What is sent: an uploaded file before a URL. Any file can be a document; for other types, 400 unless it is of that type. */
function requireMedia(
	context: Context,
	{ type, mediaUrl, mediaId }: z.output<typeof body>,
): string {
	if (mediaId === undefined) {
		if (mediaUrl !== undefined) return mediaUrl;
		throw new ServiceError(400, 'Either mediaUrl or mediaId is required');
	}
	const file = context.state.media.get(mediaId);
	if (!file) throw new ServiceError(400, `mediaId '${mediaId}' does not exist`);
	if (type !== 'document' && file.type !== type)
		throw new ServiceError(400, 'Unsupported media type');
	return file.filename;
}

/** POST /chat/send-media (docs/service.md, section 4.6). */
export const chatSendMedia: Endpoint = {
	method: 'POST',
	path: '/chat/send-media',
	scope: 'chat:send',
	handle: (context) => {
		const input = context.body(body);
		const source = requireMedia(context, input);
		const from = senderOf(context.state, input.configId);
		const charged = context.charge('chatBalance', costs.media);
		const content = input.caption ?? input.filename ?? source;
		const draft = { to: input.phone, from, content, type: input.type, templateName: '' };
		const { providerMessageId } = sendMessage(context.service, draft);
		const sent = { message: 'Media message sent', providerMessageId, ...charged };
		const responses = {
			...{ likeTemplate: { success: true, ...sent }, onlySuccess: { success: true } },
			...{ withoutSuccess: sent, nested: { success: true, data: sent } },
		};
		return responses[context.service.assumptions.mediaResponse];
	},
};
