import { findKey } from 'lodash';
import type { BinaryFile } from '../../api/binaryFile';
import { withoutEmpty, type Call } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import { InputFailure } from '../../api/failure';
import { shown } from '../../parameters/shown';
import {
	chatPhone,
	filesFor,
	choiceOf,
	oneLine,
	requiredName,
	text,
	sendingNumber,
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
	auto: ['Automatic', 'By the type of the file, or the ending of its URL'],
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

/** The URL endings of each media type (docs/service.md, section 4.6). */
const endings = {
	image: /\.(jpe?g|png|gif|webp)$/i,
	video: /\.(mp4|mkv|avi)$/i,
	audio: /\.(mp3|wav|ogg|m4a)$/i,
	document: /\.(pdf|docx?|xlsx?|pptx?)$/i,
};

type MediaType = keyof typeof endings;

/** The MIME types of the documented formats; files of all others, such as HEIC and MOV, are documents. */
const mimeTypes = {
	image: /^image\/(jpe?g|png|gif|webp)\b/i,
	video: /^video\/(x-|vnd\.)?(mp4|matroska|avi|msvideo)\b/i,
	audio: /^audio\/(x-|vnd\.)?(mpeg|mp3|wave?|ogg|m4a|mp4)\b/i,
};

const typeOfFile = ({ mimeType }: BinaryFile): MediaType =>
	(findKey(mimeTypes, (pattern) => pattern.test(mimeType)) ?? 'document') as MediaType;

const typeOfUrl = (url: string) =>
	findKey(endings, (ending) => url !== '' && ending.test(new URL(url).pathname)) as
		MediaType | undefined;

/** The type of the file or, if there is only a URL, of its ending; throws InputFailure. */
function typeFound(url: string, file?: BinaryFile): MediaType {
	const found = file ? typeOfFile(file) : typeOfUrl(url);
	if (found) return found;
	throw new InputFailure(
		`The media type can't be determined from ${url === '' ? 'a media ID' : `the URL ${url.slice(0, 200)}`}`,
		"Set 'Media Type' to Image, Video, Audio or Document.",
	);
}

/** Throws InputFailure if the file has another type than the chosen one. A document may be any file. */
function checkType(chosen: MediaType, file: BinaryFile): void {
	const found = typeOfFile(file);
	// These MIME types do not show the type.
	const isInconclusive = /^application\/(octet-stream|ogg|mp4)|^[^/]*$/.test(file.mimeType);
	if (chosen === 'document' || chosen === found || isInconclusive) return;
	throw new InputFailure(
		`The file ${shown(file.fileName)} is ${shown(file.mimeType)}, which cannot be sent as ${mediaTypes[chosen][0]}`,
		`Set 'Media Type' to ${mediaTypes[found][0]}.`,
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
		if (file) checkType(type, file);
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
					? read('additionalFields.filename', oneLine) || file?.fileName || ''
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
