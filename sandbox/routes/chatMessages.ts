import { countBy } from 'lodash';
import { z } from 'zod';
import { withIds } from '../dialect';
import { limits, messageStatuses } from '../documented';
import type { Endpoint } from '../http/endpoint';
import { chatPhone, pageSize, schema, text, wholeNumber } from '../http/validate';
import { sendMessage } from '../lifecycle';
import type { Service } from '../service';
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
		const { textRecords } = context.service.assumptions;
		const draft = {
			...{ to: phone, from, content, type, templateName: '' },
			...(textRecords === 'withoutId' && { providerMessageId: '' }),
		};
		if (textRecords !== 'none') sendMessage(context.service, draft);
		return { success: true, message: 'Message sent', ...charged };
	},
};

const query = ({ assumptions }: Service) =>
	schema({
		status: z.enum(messageStatuses).optional(),
		limit: pageSize(limits.campaigns, assumptions),
		offset: wholeNumber(0, 0),
	});

/** GET /chat/campaigns (docs/service.md, section 4.9). */
export const chatCampaigns: Endpoint = {
	method: 'GET',
	path: '/chat/campaigns',
	scope: 'chat:campaigns',
	handle: (context) => {
		const { assumptions } = context.service;
		const { status, limit, offset } = context.query(query(context.service));
		const { messages: all } = context.state;
		const fitting = status === undefined ? all : all.filter((one) => one.status === status);
		const page = pageOf(fitting, assumptions.listOrder, offset, limit);
		const messages = page.map((one) => withIds(messageRecord(one, assumptions), assumptions));
		const none = { Sent: 0, Delivered: 0, Read: 0, Failed: 0 };
		const totals = { mixed: fitting, requested: fitting, all };
		const counted = { mixed: all, requested: fitting, all };
		const total = totals[assumptions.counts].length;
		const stats = { ...none, ...countBy(counted[assumptions.counts], 'status') };
		return { total, limit, offset, stats, messages };
	},
};
