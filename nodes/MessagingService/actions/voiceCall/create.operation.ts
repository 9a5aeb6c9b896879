import type { IDataObject } from 'n8n-workflow';
import { withoutEmpty, type ApiRequest } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import { hasEnded, lists } from '../../api/lists';
import { digitsOf } from '../../parameters/phone';
import {
	choiceOf,
	filesFor,
	requiredName,
	requiredText,
	trimmed,
	voicePhone,
} from '../../parameters/schemas';
import { choiceField, requiredField, textField } from '../../parameters/fields';
import { additionalFields, phoneLabel } from '../../parameters/sharedFields';
import { checkBalance } from '../../parameters/options';
import { waitOption, withWait } from '../waiting';
import type { ItemOperation, Plan, RecordLookUp } from '../../operation';
import type { Read } from '../../parameters/read';
import { isEntryOf } from './callLog.operations';

const contents = {
	text: ['Text', 'A text is spoken'],
	audioUrl: ['Audio URL', 'An audio file is played'],
	aiAgent: ['AI Agent', 'A conversational AI agent talks'],
	xmlTemplate: ['XML Template', 'A saved template is run'],
} as const;

const routes = {
	auto: ['Automatic', 'Indian route for Indian numbers, US route for all others'],
	carrier_in2: 'IN2',
	indian: 'Indian',
	ownNumber: [
		'Own Number',
		'A number of the account, which is also shown as the caller. If its carrier is IN2, the call goes through IN2.',
	],
	us: 'US',
} as const;

const uuid = requiredName.refine(
	(value) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value),
	'is not a UUID',
);

const readContent: Record<keyof typeof contents, (read: Read) => IDataObject> = {
	text: (read) => ({ audioName: read('text', requiredText) }),
	audioUrl: (read) => ({ audioName: read('audioUrl', filesFor(read.account).fileUrl) }),
	aiAgent: (read) => ({ aiAgentId: read('aiAgentId', uuid) }),
	xmlTemplate: (read) => ({ xmlId: read('xmlId', uuid) }),
};

/** The last ten digits of a number, which are the same with and without its country code. */
const lastDigits = (number: unknown): string => digitsOf(number).slice(-10);

/** Where the service shows calls (docs/service.md, section 4.14). */
const callRecords: RecordLookUp = {
	list: lists.calls,
	recipientOf: ({ body }) => lastDigits(body?.to),
	recipientIn: ({ phone }) => lastDigits(phone),
};

/** POST /voice/call: places a call and, if wanted, waits for its end (docs/service.md, section 4.13). */
export const createCall: ItemOperation = {
	kind: 'item',
	value: 'create',
	action: 'Place voice call',
	description: 'Call a number with a text, an audio file, an AI agent or an XML template',
	billable: true,
	recordLookUp: callRecords,
	cost: () => ({ unit: 'voice minutes', amount: 1 }),
	fields: [
		requiredField('to', phoneLabel, {
			placeholder: 'e.g. +447700900210',
			description: 'Number to call, at least 10 digits',
		}),
		choiceField('content', 'Content', contents, 'text', {
			description: 'What the recipient hears',
		}),
		requiredField('text', 'Text', {
			typeOptions: { rows: 3 },
			placeholder: 'e.g. Your appointment is tomorrow at nine.',
			description: 'Text to speak',
			displayOptions: { show: { content: ['text'] } },
		}),
		requiredField('audioUrl', 'Audio URL', {
			placeholder: 'e.g. https://host.example/message.mp3',
			description: 'Absolute URL of a playable audio file',
			displayOptions: { show: { content: ['audioUrl'] } },
		}),
		requiredField('aiAgentId', 'AI Agent ID', {
			placeholder: 'e.g. 3f2b8f1e-52c1-4f5e-8a8e-6d1a0e9b7c11',
			description: 'ID of the conversational AI agent',
			displayOptions: { show: { content: ['aiAgent'] } },
		}),
		requiredField('xmlId', 'XML Template ID', {
			placeholder: 'e.g. 3f2b8f1e-52c1-4f5e-8a8e-6d1a0e9b7c11',
			description: 'ID of the saved XML template',
			displayOptions: { show: { content: ['xmlTemplate'] } },
		}),
		additionalFields([
			textField('fromNumber', 'From Number', {
				placeholder: 'e.g. +441632960710',
				description: 'Caller ID. If empty, the default outbound number of the route is used.',
			}),
			requiredField('routeNumber', 'Own Number', {
				placeholder: 'e.g. +441632960710',
				description: 'Phone number owned by the account',
				displayOptions: { show: { voiceRoute: ['ownNumber'] } },
			}),
			textField('recipientName', 'Recipient Name', {
				placeholder: 'e.g. Anna',
				description: 'Label in call logs and transcripts',
			}),
			choiceField('voiceRoute', 'Voice Route', routes, 'auto', {
				description: 'Route that carries the call',
			}),
		]),
	],
	options: [
		checkBalance('1 voice minute per call'),
		waitOption('waitForCompletion', 'Await Completion', {
			description:
				'Waits until the call has ended, and returns its duration and transcript. Branch on <code>status</code>: only success means answered. Calls to the same number are then made one after another.',
			hint: 'Branch on status: only success means answered; no-answer, failed and others do not',
			what: 'the end of the call',
			where: 'the call log',
		}),
	],
	plan: (read) => {
		const route = read('additionalFields.voiceRoute', requiredName);
		const request = {
			endpoint: endpoints.placeCall,
			body: withoutEmpty({
				to: read('to', voicePhone(read.account.countryCodes)),
				...readContent[read('content', choiceOf(contents))](read),
				voiceRoute:
					route === 'ownNumber' ? read('additionalFields.routeNumber', requiredName) : route,
				fromNumber: read('additionalFields.fromNumber', trimmed),
				recipientName: read('additionalFields.recipientName', trimmed),
			}),
		};
		return read.has(waitFields) ? waitingForEnd(read, request) : { request };
	},
};

const waitFields = 'options.waitForCompletion.wait';

/** A call that waits for its end in the call log; throws InputFailure. */
function waitingForEnd(read: Read, request: ApiRequest): Plan {
	const recipientName = request.body?.recipientName;
	return withWait(
		read,
		{ request },
		{
			option: waitFields,
			recordLookUp: callRecords,
			holdsRecipient: true,
			// Searches for the whole number from the response: whether `search` finds a part of a number is not
			// documented (docs/service.md, section 10.25).
			query: ({ to }) => (digitsOf(to) === '' ? undefined : { search: digitsOf(to) }),
			hasSameId: (entry, { callId }) => isEntryOf(callId, entry),
			mayBelong: ({ campaignName }) =>
				recipientName === undefined || campaignName === recipientName,
			isDone: hasEnded,
			notYet: 'The call had not ended after',
			shown: (entry, { status: initialStatus }) => {
				return {
					status: entry?.callStatus ?? entry?.status ?? initialStatus ?? null,
					...(initialStatus === undefined ? {} : { initialStatus }),
					duration: entry?.duration ?? null,
					transcript: entry?.transcript ?? null,
					callLog: entry ?? null,
				};
			},
		},
	);
}
