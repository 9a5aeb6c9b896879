import { z } from 'zod';
import { CHAT_SEND_COST, SCREENSHOT, TEXTS } from '../choices';
import { ok } from '../http/answer';
import { always, type Endpoint } from '../http/endpoint';
import { ServiceError } from '../http/serviceError';
import { sendMessages } from '../lifecycle/messages';
import { charge, requireBalance } from '../state/account';
import { chatPhone, text, validate } from './validate';

const body = z.object({ phone: chatPhone, message: text, file: z.string().optional() });

/** POST /chat/send (docs/service.md, section 4.4). */
export const chatSend: Endpoint = {
	method: 'POST',
	path: '/chat/send',
	scope: always(null),
	handle: (context) => {
		const { world } = context;
		const { account, chatNumbers, chatSession } = world.state;
		const { phone, message, file } = validate(body, context.json());
		requireBalance(account, 'chatBalance', CHAT_SEND_COST);
		if (!chatSession) {
			const screenshot = SCREENSHOT[world.variants.screenshot];
			throw new ServiceError(500, TEXTS.browserSession, { success: false, screenshot });
		}
		const remainingBalance = charge(account, 'chatBalance', CHAT_SEND_COST);
		const from = chatNumbers.require(undefined).phoneNumber;
		const type = file ? 'image' : 'text';
		sendMessages(world, [{ to: phone, from, content: message, type, templateName: '' }]);
		return ok({
			success: true,
			message: TEXTS.chatSent,
			cost: CHAT_SEND_COST,
			remainingBalance,
		});
	},
};
