import { z } from 'zod';
import { BULK_STEP, TEXTS } from '../choices';
import { LIMITS } from '../documented';
import { ok } from '../http/answer';
import { always, type Endpoint } from '../http/endpoint';
import { sendMessages } from '../lifecycle/messages';
import { charge } from '../state/account';
import type { MessageDraft } from '../state/messages';
import { requireParameters, templateCost } from '../state/templates';
import type { World } from '../world';
import { templateContent } from './chatSendTemplate';
import { chatPhone, text, validate } from './validate';

const recipient = z.object({
	phone: chatPhone,
	params: z.array(z.string()).default([]),
	headerValue: z.string().optional(),
	headerMediaId: z.string().optional(),
	name: z.string().optional(),
});

const body = z.object({
	templateName: text,
	// The size is checked first: ten thousand complaints would hide it.
	recipients: z
		.array(z.unknown())
		.min(1, 'must not be empty')
		.max(LIMITS.bulkRecipients, TEXTS.recipients)
		.pipe(z.array(recipient)),
	configId: z.string().optional(),
	language: text.default('en'),
});

/** POST /chat/bulk-send (docs/service.md, section 4.8). Charged whole on acceptance. */
export const chatBulkSend: Endpoint = {
	method: 'POST',
	path: '/chat/bulk-send',
	scope: always('chat:bulk-send'),
	handle: (context) => {
		const { world } = context;
		const { templateName, recipients, configId, language } = validate(body, context.json());
		const { account, templates, chatNumbers, ids } = world.state;
		const template = templates.require(templateName, language);
		for (const { params } of recipients) requireParameters(template, params);
		const from = chatNumbers.require(configId).phoneNumber;
		const total = recipients.length;
		charge(account, 'chatBalance', total * templateCost(template));
		const drafts = recipients.map(({ phone, params }) => ({
			to: phone,
			from,
			content: templateContent(templateName, params),
			type: 'template',
			templateName,
		}));
		sendInSteps(world, drafts);
		return ok({
			success: true,
			campaignId: ids.uuid(),
			total,
			status: 'processing',
			message: TEXTS.bulkStarted(total),
		});
	},
};

/** Leaves the messages to the scheduler, a step at a time, so that requests are served between. */
function sendInSteps(world: World, drafts: MessageDraft[]): void {
	for (let start = 0; start < drafts.length; start += BULK_STEP) {
		const step = drafts.slice(start, start + BULK_STEP);
		world.scheduler.after(0, () => sendMessages(world, step));
	}
}
