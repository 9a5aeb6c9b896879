import { withoutEmpty, type Call } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import {
	chatPhone,
	httpsUrl,
	choiceOf,
	requiredName,
	trimmed,
	sendingNumber,
} from '../../parameters/schemas';
import { choiceField, requiredField, shownWhere, textField } from '../../parameters/fields';
import { uploadFile } from '../media/upload.operation';
import { binaryField, phoneField, sendingNumberField } from '../../parameters/sharedFields';
import { messageRecords, statusOptions, withStatus } from './waitForStatus';
import { checkBalance } from '../../parameters/options';
import type { ItemOperation } from '../../operation';

const mediaTypes = {
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

/** POST /chat/send-media: one file by URL, media id or upload (docs/service.md, section 4.6). */
export const sendMedia: ItemOperation = {
	kind: 'item',
	value: 'sendMedia',
	action: 'Send a media message',
	description: 'Send an image, video, audio file or document',
	billable: true,
	records: messageRecords,
	cost: () => ({ unit: 'chat credits', amount: 1 }),
	fields: [
		phoneField,
		choiceField('mediaType', 'Media Type', mediaTypes, 'image', {
			required: true,
			description: 'Kind of the file',
			hint: 'A media message costs 1 chat credit',
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
		textField('filename', 'File Name', {
			placeholder: 'e.g. invoice.pdf',
			description: 'Name of the document that the recipient sees',
			displayOptions: { show: { mediaType: ['document'] } },
		}),
		sendingNumberField,
	],
	options: [checkBalance, ...statusOptions],
	plan: async (read) => {
		const type = read('mediaType', choiceOf(mediaTypes));
		const source = read('mediaSource', choiceOf(mediaSources));
		const file = source === 'binary' ? await read.file('binaryPropertyName') : undefined;
		const body = withoutEmpty({
			phone: read('phone', chatPhone(read.countryCodes)),
			type,
			mediaUrl: source === 'url' ? read('mediaUrl', httpsUrl) : '',
			mediaId: source === 'mediaId' ? read('mediaId', requiredName) : '',
			caption: type === 'audio' ? '' : read('caption', trimmed),
			filename: type === 'document' ? read('filename', trimmed) || file?.fileName || '' : '',
			configId: read('configId', sendingNumber),
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
