import { z } from 'zod';
import { LIMITS, MESSAGE_STATUSES } from '../documented';
import { ServiceError, ok, type Endpoint } from '../http/endpoint';
import { capped, chatPhone, text, validate, wholeNumber } from '../http/validate';
import { sendMessages } from '../lifecycle';
import { charge, requireBalance } from '../state/account';
import { messageRecord } from '../state/messages';

/** Credits for POST /chat/send. */
const CHAT_SEND_COST = 1;

/** The picture of the browser session: a PNG of one pixel, where it is not a URL. */
const SCREENSHOT = {
	base64:
		'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	url: 'https://dashboard.example/screenshots/latest.png',
	null: null,
} as const;

const message = z.object({ phone: chatPhone, message: text, file: z.string().optional() });

/** POST /chat/send (docs/service.md, section 4.4). */
export const chatSend: Endpoint = {
	method: 'POST',
	path: '/chat/send',
	scope: null,
	handle: (context) => {
		const { service } = context;
		const { account, chatNumbers, chatSession } = service.state;
		const { phone, message: content, file } = validate(message, context.json());
		requireBalance(account, 'chatBalance', CHAT_SEND_COST);
		if (!chatSession) {
			const screenshot = SCREENSHOT[service.assumptions.screenshot];
			const reason = 'No active browser chat session. Connect one on the dashboard';
			throw new ServiceError(500, reason, { success: false, screenshot });
		}
		const remainingBalance = charge(account, 'chatBalance', CHAT_SEND_COST);
		const from = chatNumbers.require(undefined).phoneNumber;
		const type = file ? 'image' : 'text';
		sendMessages(service, [{ to: phone, from, content, type, templateName: '' }]);
		return ok({ success: true, message: 'Message sent', cost: CHAT_SEND_COST, remainingBalance });
	},
};

const query = z.object({
	status: z.enum(MESSAGE_STATUSES).optional(),
	limit: wholeNumber(1, LIMITS.campaigns.default),
	offset: wholeNumber(0, 0),
});

/** GET /chat/campaigns (docs/service.md, section 4.9). Counts cover all messages, `total` the filtered. */
export const chatCampaigns: Endpoint = {
	method: 'GET',
	path: '/chat/campaigns',
	scope: 'chat:campaigns',
	handle: (context) => {
		const { assumptions, state } = context.service;
		const { status, offset, ...wanted } = validate(query, context.query);
		const limit = capped('limit', wanted.limit, LIMITS.campaigns.max, assumptions.overLimit);
		const newestFirst = assumptions.listOrder === 'newestFirst';
		const { total, page } = state.messages.page({ status, offset, limit, newestFirst });
		const stats = { ...state.messages.counts };
		return ok({ total, limit, offset, stats, messages: page.map(messageRecord) });
	},
};
