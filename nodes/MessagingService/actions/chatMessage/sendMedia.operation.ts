import { findKey } from 'lodash';
import type { BinaryFile } from '../../api/binaryFile';
import { withoutEmpty, type Call } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import { InputFailure } from '../../api/failure';
import { shown } from '../../parameters/shown';
import {
	chatPhone,
	choiceOf,
	filesFor,
	parsed,
	requiredName,
	sendingNumber,
	text,
	trimmed,
} from '../../parameters/schemas';
import { choiceField, requiredField, shownWhere, textField } from '../../parameters/fields';
import { uploadFile } from '../media/upload.operation';
import {
	additionalFields,
	binaryField,
	phoneField,
	sendingNumberField,
} from '../../parameters/sharedFields';
import { messageRecords, statusOption, withStatus } from './waitForStatus';
import { checkBalance } from '../../parameters/options';
import type { ItemOperation } from '../../operation';

const mediaTypes = {
	auto: ['Automatic', 'From its declared type, or the ending of its name or URL'],
	image: ['Image', 'JPEG, PNG, GIF or WEBP'],
	video: ['Video', 'MP4, MKV or AVI'],
	audio: ['Audio', 'MP3, WAV, OGG or M4A'],
	document: ['Document', 'PDF, DOC, DOCX, XLS, PPT and others'],
} as const;

const mediaSources = {
	url: ['URL', 'A file on the web'],
	mediaId: ['Media ID', 'A file uploaded before'],
	binary: ['File', 'A file of the input item, uploaded first'],
} as const;

/** The endings of the documented formats (docs/service.md, section 4.6). */
const endings = {
	image: /^(jpe?g|jpe|jfif|png|gif|webp)$/i,
	video: /^(mp4|mkv|avi)$/i,
	audio: /^(mp3|wav|ogg|oga|opus|m4a)$/i,
};

/** All names of their MIME types. */
const mimeTypes = {
	image: /^image\/(x-)?(p?jpe?g|png|gif|webp)$/i,
	video: /^(video|application)\/(x-|vnd\.)?(mp4|matroska|mkv|avi|(troff-)?msvideo)$/i,
	audio:
		/^(audio|application)\/(x-|vnd\.)?(mp3|mpe?g(-?3)?|(pn-)?wave?|([\w-]+\+)?ogg|opus|vorbis|m4a|mp4)$/i,
};

/** MIME types that any file may have, and that of MP4 with sound alone or with pictures. */
const declaresNothing =
	/^[^/]*$|^(binary|unknown)\/|\/((x-)?(octet-?stream|(force-?)?download|binary|unknown)|\*)$|^application\/mp4$/i;

type MediaType = 'document' | keyof typeof endings;

/** Files in all other formats, such as HEIC and MOV, are documents. */
const typeIn = (patterns: Record<string, RegExp>, name: string): MediaType =>
	(findKey(patterns, (pattern) => pattern.test(name)) as MediaType | undefined) ?? 'document';

/** The media type that a MIME type declares; undefined if it declares none. */
function declaredType({ mimeType }: BinaryFile): MediaType | undefined {
	const [name = ''] = mimeType.split(';').map((part) => part.trim());
	return declaresNothing.test(name) ? undefined : typeIn(mimeTypes, name);
}

/** The media type that an ending shows; undefined without an ending. */
function typeOfEnding(path: string): MediaType | undefined {
	const [, ending] = /\.([^./]+)$/.exec(path.trim()) ?? [];
	return ending === undefined ? undefined : typeIn(endings, ending);
}

/** The type of the file or, if there is only a URL, of its ending; throws InputFailure. */
function typeFound(url: string, file?: BinaryFile): MediaType {
	if (file) return declaredType(file) ?? typeOfEnding(file.fileName) ?? 'document';
	const found = typeOfEnding(parsed(url)?.pathname ?? '');
	if (found) return found;
	throw new InputFailure(
		`The media type can't be determined from ${url === '' ? 'a media ID' : `the URL ${url.slice(0, 200)}`}`,
		"Set 'Media Type' to Image, Video, Audio or Document.",
	);
}

/** Throws InputFailure if the file declares another type than the chosen one. A document may be any file. */
function checkType(chosen: MediaType, file: BinaryFile): void {
	const declared = declaredType(file) ?? chosen;
	if (chosen === 'document' || chosen === declared) return;
	throw new InputFailure(
		`The file ${shown(file.fileName)} is ${shown(file.mimeType)}, which cannot be sent as ${mediaTypes[chosen][0]}`,
		`Set 'Media Type' to ${mediaTypes[declared][0]}.`,
	);
}

/** POST /chat/send-media: one file by URL, media id or upload (docs/service.md, section 4.6). */
export const sendMedia: ItemOperation = {
	kind: 'item',
	value: 'sendMedia',
	action: 'Send media message',
	description: 'Send an image, video, audio file or document',
	billable: true,
	recordLookUp: messageRecords,
	cost: () => ({ unit: 'chat credits', amount: 1 }),
	fields: [
		phoneField,
		choiceField('mediaType', 'Media Type', mediaTypes, 'auto', {
			required: true,
			description: 'Kind of the file',
		}),
		choiceField('mediaSource', 'Media Source', mediaSources, 'url', {
			description: 'Where the file comes from',
		}),
		requiredField('mediaUrl', 'Media URL', {
			placeholder: 'e.g. https://host.example/image.png',
			description: 'Publicly reachable HTTPS URL of the file',
			displayOptions: { show: { mediaSource: ['url'] } },
		}),
		requiredField('mediaId', 'Media ID', {
			placeholder: 'e.g. the mediaId of Media > Upload',
			description: 'ID that an upload returned',
			displayOptions: { show: { mediaSource: ['mediaId'] } },
		}),
		...shownWhere({ mediaSource: ['binary'] }, [binaryField]),
		textField('caption', 'Caption', {
			typeOptions: { rows: 2 },
			placeholder: 'e.g. Your invoice',
			description: 'Text shown with the file',
			displayOptions: { hide: { mediaType: ['audio'] } },
		}),
		additionalFields([
			textField('filename', 'File Name', {
				placeholder: 'e.g. invoice.pdf',
				description:
					'Name of a document as the recipient sees it. If empty, the name of the file is used.',
				displayOptions: { show: { '/mediaType': ['auto', 'document'] } },
			}),
			sendingNumberField,
		]),
	],
	options: [checkBalance('1 chat credit per message'), statusOption],
	plan: async (read) => {
		const chosen = read('mediaType', choiceOf(mediaTypes));
		const source = read('mediaSource', choiceOf(mediaSources));
		const file = source === 'binary' ? await read.file('binaryPropertyName') : undefined;
		const mediaUrl = source === 'url' ? read('mediaUrl', filesFor(read.account).httpsFileUrl) : '';
		const type = chosen === 'auto' ? typeFound(mediaUrl, file) : chosen;
		if (file && chosen !== 'auto') checkType(chosen, file);
		const caption = read('caption', text);
		if (chosen === 'auto' && type === 'audio' && caption !== '') {
			throw new InputFailure('Audio files cannot have a caption', "Leave 'Caption' empty.");
		}
		const body = withoutEmpty({
			phone: read('phone', chatPhone(read.account.countryCodes)),
			type,
			mediaUrl,
			mediaId: source === 'mediaId' ? read('mediaId', requiredName) : '',
			caption: type === 'audio' ? '' : caption,
			filename:
				type === 'document'
					? read('additionalFields.filename', trimmed) || file?.fileName || ''
					: '',
			configId: read('additionalFields.configId', sendingNumber),
		});
		const request = { endpoint: endpoints.sendMedia, body };
		if (!file) return withStatus(read, { request });
		const prepare = async (call: Call) => {
			const { mediaId } = await uploadFile(call, file, body.configId);
			return { ...request, body: { ...body, mediaId } };
		};
		return withStatus(read, { request, file, prepare });
	},
};
