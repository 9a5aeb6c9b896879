import { z } from 'zod';
import { TEXTS } from '../choices';
import { ok } from '../http/answer';
import type { Context } from '../http/context';
import { always, type Endpoint } from '../http/endpoint';
import { ServiceError } from '../http/serviceError';
import { sendMessages } from '../lifecycle/messages';
import { charge } from '../state/account';
import { requireParameters, templateCost } from '../state/templates';
import { chatPhone, text, validate } from './validate';

const body = z.object({
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
		throw new ServiceError(400, TEXTS.parametersJson);
	}
}

/** POST /chat/send-template (docs/service.md, section 4.5). */
export const chatSendTemplate: Endpoint = {
	method: 'POST',
	path: '/chat/send-template',
	scope: always('chat:send-template'),
	handle: async (context) => {
		const { world } = context;
		const input = validate(body, await fields(context));
		const { account, templates, chatNumbers } = world.state;
		const template = templates.require(input.templateName, input.language);
		requireParameters(template, input.parameters);
		const from = chatNumbers.require(input.configId).phoneNumber;
		const cost = templateCost(template);
		const remainingBalance = charge(account, 'chatBalance', cost);
		const [message] = sendMessages(world, [
			{
				to: input.phone,
				from,
				content: templateContent(template.name, input.parameters),
				type: 'template',
				templateName: template.name,
			},
		]);
		return ok({
			success: true,
			message: TEXTS.templateSent,
			providerMessageId: message?.providerMessageId,
			cost,
			remainingBalance,
		});
	},
};

/** What the message list shows for a template message. */
export function templateContent(name: string, parameters: readonly string[]): string {
	return parameters.length === 0 ? name : `${name}: ${parameters.join(', ')}`;
}
