import { z } from 'zod';
import { costs, mediaKinds, type MediaKind } from '../documented';
import { ServiceError, ok, type Endpoint } from '../http/endpoint';
import type { Context } from '../http/request';
import { chatPhone, isPublicHttpsUrl, schema, text } from '../http/validate';
import { sendMessages } from '../lifecycle';
import { part } from '../state/state';

/** File endings of the formats in docs/service.md, section 4.6; a document may have any other. */
const endings: Record<MediaKind, string[]> = {
	image: ['jpg', 'jpeg', 'png', 'gif', 'webp'],
	video: ['mp4', 'mkv', 'avi'],
	audio: ['mp3', 'wav', 'ogg', 'm4a'],
	document: [],
};

/** The kind of media that a file name stands for; undefined for no hint. */
function kindOfName(name: string): MediaKind | undefined {
	const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase();
	if (ending === undefined) return undefined;
	return mediaKinds.find((kind) => endings[kind].includes(ending)) ?? 'document';
}

/** The kind of media of an uploaded file. */
function kindOfFile(filename: string, mimeType: string): MediaKind {
	const named = mediaKinds.find((kind) => mimeType.startsWith(`${kind}/`));
	return named ?? kindOfName(filename) ?? 'document';
}

/** An uploaded file; its content is not kept. */
interface Media {
	mediaId: string;
	type: MediaKind;
	mimeType: string;
	filename: string;
	size: number;
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
		const type = kindOfFile(filename, mimeType);
		const media = { mediaId: random.digits(16), type, mimeType, filename, size };
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

/** What is sent: an uploaded file before a URL. Anything that is not of the named type gets 400. */
function requireMedia(
	context: Context,
	{ type, mediaUrl, mediaId }: z.output<typeof body>,
): string {
	if ((mediaId ?? mediaUrl) === undefined) {
		throw new ServiceError(400, 'Either mediaUrl or mediaId is required');
	}
	const file = mediaId === undefined ? undefined : uploads(context.state).byId.get(mediaId);
	if (mediaId !== undefined && !file) {
		throw new ServiceError(400, `mediaId '${mediaId}' does not exist`);
	}
	const source = file?.filename ?? mediaUrl ?? '';
	const kind = file ? file.type : kindOfName(new URL(source).pathname);
	if (kind !== undefined && kind !== type) {
		throw new ServiceError(400, 'Unsupported media type');
	}
	return source;
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
		const { mediaResponse } = context.assumptions;
		if (mediaResponse === 'minimal') return ok({ success: true });
		if (mediaResponse === 'bare') return ok({ providerMessageId });
		return ok({ success: true, message: 'Media message sent', providerMessageId, ...charged });
	},
};
