import type { IDataObject } from 'n8n-workflow';
import { endpoints, withoutEmpty } from '../../api/endpoints';
import {
	absoluteUrl,
	flag,
	choiceOf,
	requiredName,
	requiredText,
	trimmed,
	uuid,
	voicePhone,
} from '../../parameters/schemas';
import type { ItemOperation } from '../../operation';
import type { Read } from '../../parameters/read';
import { contents, createCallFields } from './create.fields';
import { callRecords, waitingForEnd } from './waitForEnd';

/** POST /voice/call: places a call and, if wanted, waits for its end (docs/service.md, section 4.13). */
export const createCall: ItemOperation = {
	kind: 'item',
	value: 'create',
	name: 'Create',
	action: 'Place a voice call',
	description: 'Call a number with a text, an audio file, an AI agent or an XML template',
	billable: true,
	records: callRecords,
	cost: () => ({ unit: 'voice minutes', amount: 1 }),
	fields: createCallFields,
	plan: (read) => {
		const route = read('voiceRoute', requiredName);
		const request = {
			endpoint: endpoints.placeCall,
			body: withoutEmpty({
				to: read('to', voicePhone(read.countryCodes)),
				...readContent(read),
				voiceRoute: route === 'ownNumber' ? read('routeNumber', requiredName) : route,
				fromNumber: read('fromNumber', trimmed),
				recipientName: read('recipientName', trimmed),
			}),
		};
		return read.has('options.waitForCompletion') && read('options.waitForCompletion', flag)
			? waitingForEnd(read, { request })
			: { request };
	},
};

function readContent(read: Read): IDataObject {
	switch (read('content', choiceOf(contents))) {
		case 'text':
			return { audioName: read('text', requiredText) };
		case 'audioUrl':
			return { audioName: read('audioUrl', absoluteUrl) };
		case 'aiAgent':
			return { aiAgentId: read('aiAgentId', uuid) };
		case 'xmlTemplate':
			return { xmlId: read('xmlId', uuid) };
	}
}
