import { countBy } from 'lodash';
import { z } from 'zod';
import { limits, messageStatuses } from '../documented';
import type { Endpoint } from '../http/endpoint';
import { chatPhone, schema, text, wholeNumber } from '../http/validate';
import { sendMessage } from '../lifecycle';
import { senderOf } from '../state/account';
import { messageRecord } from '../state/messages';
import { pageOf } from '../state/records';

const message = schema({
	phone: chatPhone,
	message: text,
	file: z.string().optional(),
});

/** Not documented (docs/service.md, section 10.31). */
const assumedCost = 1;

/** POST /chat/send (docs/service.md, section 4.4). */
export const chatSend: Endpoint = {
	method: 'POST',
	path: '/chat/send',
	scope: null,
	handle: (context) => {
		const { phone, message: content, file } = context.body(message);
		const charged = context.charge('chatBalance', assumedCost);
		const type = file ? 'image' : 'text';
		const from = senderOf(context.state);
		sendMessage(context.service, { to: phone, from, content, type, templateName: '' });
		return { success: true, message: 'Message sent', ...charged };
	},
};

const query = schema({
	status: z.enum(messageStatuses).optional(),
	limit: wholeNumber(1, limits.campaigns.default, limits.campaigns.max),
	offset: wholeNumber(0, 0),
});

/** GET /chat/campaigns (docs/service.md, section 4.9). */
export const chatCampaigns: Endpoint = {
	method: 'GET',
	path: '/chat/campaigns',
	scope: 'chat:campaigns',
	handle: (context) => {
		const { assumptions } = context.service;
		const { status, limit, offset } = context.query(query);
		const { messages: all } = context.state;
		const fitting = status === undefined ? all : all.filter((one) => one.status === status);
		const page = pageOf(fitting, assumptions.listOrder, offset, limit);
		const messages = page.map((one) => messageRecord(one, assumptions));
		const none = { Sent: 0, Delivered: 0, Read: 0, Failed: 0 };
		const stats = { ...none, ...countBy(all, 'status') };
		return { total: fitting.length, limit, offset, stats, messages };
	},
};
