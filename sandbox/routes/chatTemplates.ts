import { z } from 'zod';
import { LIMITS } from '../documented';
import { ServiceError, ok, type Endpoint } from '../http/endpoint';
import type { Context } from '../http/request';
import { chatPhone, text, validate } from '../http/validate';
import { sendMessages } from '../lifecycle';
import type { Service } from '../service';
import { charge, requireParameters, templateCost } from '../state/account';
import type { MessageDraft } from '../state/messages';

const single = z.object({
	phone: chatPhone,
	templateName: text,
	configId: z.string().optional(),
	language: text.default('en'),
	parameters: z.array(z.string()).default([]),
	headerParameters: z.record(z.unknown()).optional(),
	headerType: z.string().optional(),
	headerFilename: z.string().optional(),
});

/** The fields of either form of the request. */
async function fields(context: Context): Promise<unknown> {
	if (!context.isForm) return context.json();
	const { parameters, ...form } = (await context.form()).fields;
	return parameters === undefined ? form : { ...form, parameters: parseList(parameters) };
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
	handle: async (context) => {
		const { service } = context;
		const input = validate(single, await fields(context));
		const { account, templates, chatNumbers } = service.state;
		const template = templates.require(input.templateName, input.language);
		requireParameters(template, input.parameters);
		const from = chatNumbers.require(input.configId).phoneNumber;
		const cost = templateCost(template);
		const remainingBalance = charge(account, 'chatBalance', cost);
		const draft = templateMessage(template.name, input.phone, from, input.parameters);
		const [message] = sendMessages(service, [draft]);
		return ok({
			success: true,
			message: 'Template message sent',
			providerMessageId: message?.providerMessageId,
			cost,
			remainingBalance,
		});
	},
};

const recipient = z.object({
	phone: chatPhone,
	params: z.array(z.string()).default([]),
	headerValue: z.string().optional(),
	headerMediaId: z.string().optional(),
	name: z.string().optional(),
});

const bulk = z.object({
	templateName: text,
	// The size is checked first: ten thousand complaints would hide it.
	recipients: z
		.array(z.unknown())
		.min(1, 'must not be empty')
		.max(LIMITS.bulkRecipients, 'must hold at most 10,000 items')
		.pipe(z.array(recipient)),
	configId: z.string().optional(),
	language: text.default('en'),
});

/** Recipients that a campaign processes in one step. */
const BULK_STEP = 500;

/** Leaves the messages to the scheduler, a step at a time, so that requests are served between. */
function sendInSteps(service: Service, drafts: MessageDraft[]): void {
	for (let start = 0; start < drafts.length; start += BULK_STEP) {
		const step = drafts.slice(start, start + BULK_STEP);
		service.scheduler.after(0, () => sendMessages(service, step));
	}
}

/** POST /chat/bulk-send (docs/service.md, section 4.8). Charged whole on acceptance. */
export const chatBulkSend: Endpoint = {
	method: 'POST',
	path: '/chat/bulk-send',
	scope: 'chat:bulk-send',
	handle: (context) => {
		const { service } = context;
		const { templateName, recipients, configId, language } = validate(bulk, context.json());
		const { account, templates, chatNumbers, ids } = service.state;
		const template = templates.require(templateName, language);
		for (const { params } of recipients) requireParameters(template, params);
		const from = chatNumbers.require(configId).phoneNumber;
		const total = recipients.length;
		charge(account, 'chatBalance', total * templateCost(template));
		sendInSteps(
			service,
			recipients.map(({ phone, params }) => templateMessage(templateName, phone, from, params)),
		);
		return ok({
			success: true,
			campaignId: ids.uuid(),
			total,
			status: 'processing',
			message: `Campaign started for ${total} recipients`,
		});
	},
};
