import { attempt, chunk, isError } from 'lodash';
import { z } from 'zod';
import { costs, limits } from '../documented';
import type { Endpoint } from '../http/endpoint';
import { TextBody, type Context } from '../http/request';
import { chatPhone, list, schema, text, validate } from '../http/validate';
import { sendMessage } from '../lifecycle';
import { requireCount, requireTemplate, senderOf } from '../state/account';
import type { MessageDraft } from '../state/messages';

const single = schema({
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
	const { fields } = await context.form();
	const { parameters } = fields;
	return { ...fields, parameters: parameters && new TextBody(parameters, true).shown() };
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
		const given = await fields(context);
		const { templateName, language, parameters, ...input } = validate(single, given);
		const template = requireTemplate(templateName, language);
		requireCount(template, parameters);
		const from = senderOf(context.state, input.configId);
		const charged = context.charge('chatBalance', costs.template[template.category]);
		const draft = templateMessage(template.name, input.phone, from, parameters);
		const { providerMessageId } = sendMessage(context.service, draft);
		return { success: true, message: 'Template message sent', providerMessageId, ...charged };
	},
};

const recipient = schema({
	phone: chatPhone,
	params: z.array(z.string()).default([]),
	headerValue: z.string().optional(),
	headerMediaId: z.string().optional(),
	name: z.string().optional(),
});

const bulk = schema({
	templateName: text,
	recipients: list(z.unknown()).max(limits.bulkRecipients, 'must hold at most 10,000 items'),
	configId: z.string().optional(),
	language: text.default('en'),
});

/** Recipients that a campaign processes in one step, so that requests are served between. */
const bulkStep = 500;

/** POST /chat/bulk-send (docs/service.md, section 4.8). */
export const chatBulkSend: Endpoint = {
	method: 'POST',
	path: '/chat/bulk-send',
	scope: 'chat:bulk-send',
	handle: (context) => {
		const { service, state } = context;
		const { templateName, recipients, configId, language } = context.body(bulk);
		const template = requireTemplate(templateName, language);
		const from = senderOf(state, configId);
		const { bulkInvalid } = service.assumptions;
		const drafts = recipients.flatMap((given, index) => {
			const draft = attempt(() => {
				const { phone, params } = validate(recipient, given, ['recipients', index]);
				requireCount(template, params);
				return templateMessage(template.name, phone, from, params);
			});
			if (!isError(draft)) return [draft];
			if (bulkInvalid === 'reject') throw draft;
			return [];
		});
		const total = bulkInvalid === 'leaveOutSilently' ? recipients.length : drafts.length;
		context.charge('chatBalance', drafts.length * costs.template[template.category]);
		for (const step of chunk(drafts, bulkStep)) {
			service.after(0, () => step.forEach((draft) => sendMessage(service, draft)));
		}
		return {
			success: true,
			campaignId: state.random.uuid(),
			total,
			status: 'processing',
			message: `Campaign started for ${total} recipients`,
		};
	},
};
