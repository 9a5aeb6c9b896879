import { z } from 'zod';
import { limits } from '../documented';
import { ServiceError, ok, type Endpoint } from '../http/endpoint';
import type { Context } from '../http/request';
import { chatPhone, list, schema, text, validate } from '../http/validate';
import { sendMessages, take } from '../lifecycle';
import type { Service } from '../service';
import { templateCost, wrongValues, type Template } from '../state/account';
import type { MessageDraft } from '../state/messages';
import type { Environment } from '../state/state';
import { findMedia } from './chatMedia';

const single = schema((assumptions) => ({
	phone: chatPhone,
	templateName: text,
	configId: z.string().optional(),
	language: text.default('en'),
	parameters: z.array(z.string()).default([]),
	headerParameters: (assumptions.headerParameters === 'typed'
		? z.object({ type: text }).passthrough()
		: z.record(z.unknown())
	).optional(),
	headerType: (assumptions.headerType === 'any'
		? z.string()
		: z.enum(['image', 'video', 'document'])
	).optional(),
	headerFilename: z.string().optional(),
}));

/** The fields of either form of the request. */
async function fields(context: Context): Promise<unknown> {
	if (!context.isForm) return context.json();
	const { parameters, configId, ...form } = (await context.form()).fields;
	const isUsed = configId !== undefined && context.assumptions.multipartConfigId === 'use';
	return {
		...form,
		...(isUsed ? { configId } : {}),
		...(parameters === undefined ? {} : { parameters: parseList(parameters) }),
	};
}

/** In a form, `parameters` is a JSON array as text. */
function parseList(value: string): unknown {
	try {
		return JSON.parse(value);
	} catch {
		throw new ServiceError(400, 'parameters must be a JSON array of strings');
	}
}

function templateMessage(
	name: string,
	to: string,
	from: string,
	values: readonly string[],
): MessageDraft {
	const content = values.length === 0 ? name : `${name}: ${values.join(', ')}`;
	return { to, from, content, type: 'template', templateName: name };
}

/** POST /chat/send-template (docs/service.md, section 4.5). */
export const chatSendTemplate: Endpoint = {
	method: 'POST',
	path: '/chat/send-template',
	scope: 'chat:send-template',
	paidFrom: 'chatBalance',
	handle: async (context) => {
		const { assumptions } = context;
		const given = await fields(context);
		const { templateName, language, parameters, ...input } = validate(single(assumptions), given);
		const template = context.state.templates.require(templateName, language, assumptions);
		const wrong = wrongValues(template, parameters, assumptions);
		if (wrong !== undefined) throw new ServiceError(400, wrong);
		const from = context.sender(input.configId);
		const charged = context.charge('chatBalance', templateCost(template));
		const draft = templateMessage(template.name, input.phone, from, parameters);
		const [sent] = sendMessages(context.service, context.environment, [draft]);
		const { providerMessageId } = sent ?? {};
		return ok({ success: true, message: 'Template message sent', providerMessageId, ...charged });
	},
};

const recipient = schema(() => ({
	phone: chatPhone,
	params: z.array(z.string()).default([]),
	headerValue: z.string().optional(),
	headerMediaId: z.string().optional(),
	name: z.string().optional(),
}));

const bulk = schema(() => ({
	templateName: text,
	recipients: list(z.unknown()).max(limits.bulkRecipients, 'must hold at most 10,000 items'),
	configId: z.string().optional(),
	language: text.default('en'),
}));

/** The message to a recipient; one that fails, or 400, if something is wrong with it. */
function recipientMessage(
	context: Context,
	template: Template,
	from: string,
	given: unknown,
	index: number,
): MessageDraft {
	const { assumptions } = context;
	try {
		const at = ['recipients', index];
		const { phone, params, headerMediaId } = validate(recipient(assumptions), given, at);
		const wrong = wrongValues(template, params, assumptions);
		if (wrong !== undefined) throw new ServiceError(400, wrong);
		if (assumptions.headerMedia && headerMediaId) findMedia(context, headerMediaId);
		return templateMessage(template.name, phone, from, params);
	} catch (error) {
		if (assumptions.badRecipient === 'rejectAll') throw error;
		const { phone } = z
			.object({ phone: z.string().catch('') })
			.catch({ phone: '' })
			.parse(given);
		return { ...templateMessage(template.name, phone, from, []), status: 'Failed' };
	}
}

/** Recipients that a campaign processes in one step. */
const bulkStep = 500;

/** Leaves the messages to the scheduler, a step at a time, so that requests are served between. */
function sendInSteps(
	service: Service,
	environment: Environment,
	drafts: MessageDraft[],
	costOfEach: number,
): void {
	for (let start = 0; start < drafts.length; start += bulkStep) {
		const step = drafts.slice(start, start + bulkStep);
		service.scheduler.after(0, () =>
			sendMessages(
				service,
				environment,
				step.map((draft) => chargedDraft(service, draft, costOfEach)),
			),
		);
	}
}

/** A message that is not covered fails. */
function chargedDraft(service: Service, draft: MessageDraft, cost: number): MessageDraft {
	if (cost === 0 || draft.status === 'Failed') return draft;
	if (service.state.account.chatBalance < cost) return { ...draft, status: 'Failed' };
	take(service, 'chatBalance', cost);
	return draft;
}

/** POST /chat/bulk-send (docs/service.md, section 4.8). */
export const chatBulkSend: Endpoint = {
	method: 'POST',
	path: '/chat/bulk-send',
	scope: 'chat:bulk-send',
	paidFrom: 'chatBalance',
	handle: (context) => {
		const { service, assumptions, environment, state, isFree } = context;
		const { templateName, recipients, configId, language } = context.body(bulk);
		const template = state.templates.require(templateName, language, assumptions);
		const from = context.sender(configId);
		const drafts = recipients.map((given, index) =>
			recipientMessage(context, template, from, given, index),
		);
		const isCharged = assumptions.bulkCharge === 'whole';
		const cost = templateCost(template);
		const good = drafts.filter(({ status }) => status !== 'Failed').length;
		if (isCharged) context.charge('chatBalance', good * cost);
		sendInSteps(service, environment, drafts, isCharged || isFree ? 0 : cost);
		return ok({
			success: true,
			campaignId: state.ids.uuid(),
			total: recipients.length,
			status: 'processing',
			message: `Campaign started for ${recipients.length} recipients`,
		});
	},
};
