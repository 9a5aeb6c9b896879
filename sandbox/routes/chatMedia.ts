import { z } from 'zod';
import { costs, mediaKinds, type MediaKind } from '../documented';
import { ServiceError, ok, type Endpoint } from '../http/endpoint';
import type { Context } from '../http/request';
import { chatPhone, isPublicHttpsUrl, schema, text } from '../http/validate';
import type { JournalFile } from '../journal';
import { sendMessages } from '../lifecycle';
import { part } from '../state/state';

/** The kind of media of an uploaded file (docs/service.md, section 4.6). */
const kindOf = (mimeType: string): MediaKind =>
	mediaKinds.find((kind) => mimeType.startsWith(`${kind}/`)) ?? 'document';

/** An uploaded file; its content is not kept. */
interface Media extends Pick<JournalFile, 'filename' | 'mimeType' | 'size'> {
	mediaId: string;
	type: MediaKind;
}

const uploads = part('media', (random) => ({ random, byId: new Map<string, Media>() }));

/** POST /chat/upload (docs/service.md, section 4.7). */
export const chatUpload: Endpoint = {
	method: 'POST',
	path: '/chat/upload',
	scope: null,
	handle: async (context) => {
		const { fields, files } = await context.form();
		const file = files.find((one) => one.field === 'file');
		if (!file) throw new ServiceError(400, 'file is required');
		if (fields.configId) context.sender(fields.configId);
		const { filename, mimeType, size } = file;
		const { random, byId } = uploads(context.state);
		const media = { mediaId: random.digits(16), type: kindOf(mimeType), mimeType, filename, size };
		byId.set(media.mediaId, media);
		return ok({ success: true, ...media, message: 'File uploaded' });
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

/** What is sent: an uploaded file before a URL. A file that is not of the named type gets 400. */
function requireMedia(
	context: Context,
	{ type, mediaUrl, mediaId }: z.output<typeof body>,
): string {
	if (mediaId === undefined) {
		if (mediaUrl !== undefined) return mediaUrl;
		throw new ServiceError(400, 'Either mediaUrl or mediaId is required');
	}
	const file = uploads(context.state).byId.get(mediaId);
	if (!file) throw new ServiceError(400, `mediaId '${mediaId}' does not exist`);
	if (file.type !== type) throw new ServiceError(400, 'Unsupported media type');
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
		const from = context.sender(input.configId);
		const charged = context.charge('chatBalance', costs.media);
		const content = input.caption ?? input.filename ?? source;
		const draft = { to: input.phone, from, content, type: input.type, templateName: '' };
		const [sent] = sendMessages(context.service, [draft]);
		const { providerMessageId } = sent ?? {};
		return ok({ success: true, message: 'Media message sent', providerMessageId, ...charged });
	},
};
