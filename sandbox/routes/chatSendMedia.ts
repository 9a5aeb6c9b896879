import { z } from 'zod';
import { TEXTS } from '../choices';
import { COSTS, MEDIA_KINDS, type MediaKind } from '../documented';
import { ok } from '../http/answer';
import { always, type Endpoint } from '../http/endpoint';
import { ServiceError } from '../http/serviceError';
import { isPublicHttpsUrl } from '../http/urls';
import { sendMessages } from '../lifecycle/messages';
import { charge } from '../state/account';
import type { MediaFiles } from '../state/media';
import { kindOfName } from '../state/mediaTypes';
import { chatPhone, text, validate } from './validate';

const body = z.object({
	phone: chatPhone,
	type: z.enum(MEDIA_KINDS),
	mediaUrl: text.pipe(z.string().refine(isPublicHttpsUrl, TEXTS.mediaUrl)).optional(),
	mediaId: text.optional(),
	caption: z.string().optional(),
	filename: z.string().optional(),
	configId: z.string().optional(),
});

interface Source {
	type: MediaKind;
	mediaUrl?: string | undefined;
	mediaId?: string | undefined;
}

/** What is sent: an uploaded file before a URL. Anything that is not of the named type gets 400. */
function requireMedia(media: MediaFiles, { type, mediaUrl, mediaId }: Source): string {
	if (mediaId !== undefined) {
		const file = media.find(mediaId);
		if (!file) throw new ServiceError(400, TEXTS.mediaId(mediaId));
		if (file.type !== type) throw new ServiceError(400, TEXTS.mediaType);
		return file.filename;
	}
	if (mediaUrl === undefined) throw new ServiceError(400, TEXTS.mediaSource);
	const kind = kindOfName(new URL(mediaUrl).pathname);
	if (kind !== undefined && kind !== type) throw new ServiceError(400, TEXTS.mediaType);
	return mediaUrl;
}

/** POST /chat/send-media (docs/service.md, section 4.6). */
export const chatSendMedia: Endpoint = {
	method: 'POST',
	path: '/chat/send-media',
	scope: always('chat:send'),
	handle: (context) => {
		const { world } = context;
		const { account, chatNumbers, media } = world.state;
		const input = validate(body, context.json());
		const source = requireMedia(media, input);
		const from = chatNumbers.require(input.configId).phoneNumber;
		const remainingBalance = charge(account, 'chatBalance', COSTS.media);
		const content = input.caption ?? input.filename ?? source;
		const draft = { to: input.phone, from, content, type: input.type, templateName: '' };
		const [message] = sendMessages(world, [draft]);
		if (world.variants.mediaAnswer === 'minimal') return ok({ success: true });
		return ok({
			success: true,
			message: TEXTS.mediaSent,
			providerMessageId: message?.providerMessageId,
			cost: COSTS.media,
			remainingBalance,
		});
	},
};
