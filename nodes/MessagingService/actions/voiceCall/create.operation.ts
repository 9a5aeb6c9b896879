import type { IDataObject } from 'n8n-workflow';
import { withoutEmpty } from '../../api/request';
import {
	absoluteUrl,
	flag,
	longestTime,
	oneOf,
	requiredName,
	requiredText,
	trimmed,
	uuid,
	voicePhone,
	wholeNumber,
} from '../../parameters/schemas';
import type { Operation } from '../operation';
import type { Read } from '../../parameters/read';
import { createCallFields } from './create.fields';
import { callsTo, lastDigits, waitForEnd } from './waitForEnd';

const content = oneOf(['text', 'audioUrl', 'aiAgent', 'xmlTemplate'] as const);

/** POST /voice/call: places a call and, if wanted, waits for its end (docs/service.md, section 4.13). */
export const createCall: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Place a voice call',
	description: 'Call a number with a text, an audio file, an AI agent or an XML template',
	billable: true,
	id: 'callId',
	fields: createCallFields,
	request: (read) => {
		if (waits(read)) waitLimits(read);
		const route = read('voiceRoute', 'Voice Route', requiredName);
		return {
			method: 'POST',
			path: '/voice/call',
			body: withoutEmpty({
				to: read('to', 'To', voicePhone),
				...readContent(read),
				voiceRoute: route === 'ownNumber' ? read('routeNumber', 'Own Number', voicePhone) : route,
				fromNumber: read('fromNumber', 'From Number', trimmed),
				recipientName: read('recipientName', 'Recipient Name', trimmed),
			}),
		};
	},
	// Two new entries of one number could not be told apart, and a line takes one call at a time.
	turn: (request, read) => (waits(read) ? lastDigits(request.body?.to) : undefined),
	prepare: async (call, request, read) => ({
		request,
		earlierIds: waits(read)
			? new Set((await callsTo(call, String(request.body?.to))).map(({ id }) => String(id)))
			: undefined,
	}),
	follow: async (following) =>
		waits(following.read)
			? await waitForEnd(following, waitLimits(following.read))
			: following.answer,
};

const waits = (read: Read): boolean =>
	read('options.waitForCompletion', 'Wait for Completion', flag);

/** Milliseconds. */
function waitLimits(read: Read): { maxWait: number; pollInterval: number } {
	const seconds = wholeNumber(1, Math.floor(longestTime / 1_000)).optional();
	return {
		maxWait: 1_000 * read('options.maxWait', 'Max Wait (Seconds)', seconds.default(300)),
		pollInterval:
			1_000 * read('options.pollInterval', 'Poll Interval (Seconds)', seconds.default(5)),
	};
}

function readContent(read: Read): IDataObject {
	switch (read('content', 'Content', content)) {
		case 'text':
			return { audioName: read('text', 'Text', requiredText) };
		case 'audioUrl':
			return { audioName: read('audioUrl', 'Audio URL', absoluteUrl) };
		case 'aiAgent':
			return { aiAgentId: read('aiAgentId', 'AI Agent ID', uuid) };
		case 'xmlTemplate':
			return { xmlId: read('xmlId', 'XML Template ID', uuid) };
	}
}
