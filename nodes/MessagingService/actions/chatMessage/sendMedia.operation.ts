import type { IDataObject } from 'n8n-workflow';
import type { BinaryFile } from '../../api/binaryFile';
import type { ApiRequest, Call } from '../../api/client';
import { endpoints, withoutEmpty } from '../../api/endpoints';
import {
	chatPhone,
	httpsUrl,
	oneOf,
	requiredName,
	trimmed,
	sendingNumber,
} from '../../parameters/schemas';
import { uploadFile } from '../media/upload.operation';
import { binaryField, phoneField, numberField } from '../../parameters/sharedFields';
import { messageRecords, statusOptions, withStatus } from './waitForStatus';
import { checkBalance, optionsField } from '../../parameters/options';
import type { ItemOperation } from '../../operation';
import type { Read } from '../../parameters/read';

const mediaType = oneOf(['image', 'video', 'audio', 'document'] as const);

const mediaSource = oneOf(['url', 'mediaId', 'binary'] as const);

/** POST /chat/send-media: one file by URL, media id or upload (docs/service.md, section 4.6). */
export const sendMedia: ItemOperation = {
	kind: 'item',
	value: 'sendMedia',
	name: 'Send Media',
	action: 'Send a media message',
	description: 'Send an image, video, audio file or document',
	billable: true,
	records: messageRecords,
	cost: () => ({ unit: 'chat credits', amount: 1 }),
	fields: [
		phoneField,
		{
			displayName: 'Media Type',
			name: 'mediaType',
			type: 'options',
			required: true,
			options: [
				{ name: 'Audio', value: 'audio', description: 'MP3, WAV, OGG or M4A' },
				{ name: 'Document', value: 'document', description: 'PDF, DOC, DOCX, XLS, PPT and others' },
				{ name: 'Image', value: 'image', description: 'JPEG, PNG, GIF or WEBP' },
				{ name: 'Video', value: 'video', description: 'MP4, MKV or AVI' },
			],
			default: 'image',
			description: 'Kind of the file',
			hint: 'A media message costs 1 chat credit',
		},
		{
			displayName: 'Media Source',
			name: 'mediaSource',
			type: 'options',
			options: [
				{ name: 'File', value: 'binary', description: 'A file of the input item, uploaded first' },
				{ name: 'Media ID', value: 'mediaId', description: 'A file uploaded before' },
				{ name: 'URL', value: 'url', description: 'A file on the web' },
			],
			default: 'url',
			description: 'Where the file comes from',
		},
		{
			displayName: 'Media URL',
			name: 'mediaUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://host.example/image.png',
			description: 'Publicly reachable HTTPS URL of the file',
			displayOptions: { show: { mediaSource: ['url'] } },
		},
		{
			displayName: 'Media ID',
			name: 'mediaId',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. the mediaId of Media > Upload',
			description: 'ID that an upload returned',
			displayOptions: { show: { mediaSource: ['mediaId'] } },
		},
		{ ...binaryField, displayOptions: { show: { mediaSource: ['binary'] } } },
		{
			displayName: 'Caption',
			name: 'caption',
			type: 'string',
			typeOptions: { rows: 2 },
			default: '',
			placeholder: 'e.g. Your invoice',
			description: 'Text shown with the file',
			displayOptions: { hide: { mediaType: ['audio'] } },
		},
		{
			displayName: 'File Name',
			name: 'filename',
			type: 'string',
			default: '',
			placeholder: 'e.g. invoice.pdf',
			description: 'Name of the document that the recipient sees',
			displayOptions: { show: { mediaType: ['document'] } },
		},
		numberField,
		optionsField({ billable: true, own: [checkBalance, ...statusOptions] }),
	],
	plan: async (read) => {
		const type = read('mediaType', mediaType);
		const { source, file } = await readSource(read);
		const body = withoutEmpty({
			phone: read('phone', chatPhone(read.countryCodes)),
			type,
			...source,
			caption: type === 'audio' ? '' : read('caption', trimmed),
			filename: type === 'document' ? read('filename', trimmed) || file?.fileName || '' : '',
			configId: read('configId', sendingNumber),
		});
		const request = { endpoint: endpoints.sendMedia, body };
		return withStatus(
			read,
			file ? { request, file, prepare: withUploaded(file, request) } : { request },
		);
	},
};

async function readSource(read: Read): Promise<{ source: IDataObject; file?: BinaryFile }> {
	switch (read('mediaSource', mediaSource)) {
		case 'url':
			return { source: { mediaUrl: read('mediaUrl', httpsUrl) } };
		case 'mediaId':
			return { source: { mediaId: read('mediaId', requiredName) } };
		case 'binary':
			return { source: {}, file: await read.file('binaryPropertyName') };
	}
}

/** Uploads the file and puts its media id into the request. */
const withUploaded =
	(file: BinaryFile, request: ApiRequest & { body: IDataObject }) =>
	async (call: Call): Promise<ApiRequest> => {
		const { body } = request;
		const { mediaId } = await uploadFile(call, file, body.configId as string | undefined);
		return { ...request, body: { ...body, mediaId } };
	};
