import { z } from 'zod';
import { LIMITS, MESSAGE_STATUSES } from '../documented';
import { ok } from '../http/answer';
import { always, type Endpoint } from '../http/endpoint';
import { messageRecord } from '../state/messages';
import { capped, validate, wholeNumber } from './validate';

const query = z.object({
	status: z.enum(MESSAGE_STATUSES).optional(),
	limit: wholeNumber(1, LIMITS.campaigns.default),
	offset: wholeNumber(0, 0),
});

/** GET /chat/campaigns (docs/service.md, section 4.9). Counts cover all messages, `total` the filtered. */
export const chatCampaigns: Endpoint = {
	method: 'GET',
	path: '/chat/campaigns',
	scope: always('chat:campaigns'),
	handle: (context) => {
		const { variants, state } = context.world;
		const { status, offset, ...wanted } = validate(query, context.query);
		const limit = capped('limit', wanted.limit, LIMITS.campaigns.max, variants.overLimit);
		const newestFirst = variants.listOrder === 'newestFirst';
		const { total, page } = state.messages.page({ status, offset, limit, newestFirst });
		const stats = { ...state.messages.counts };
		return ok({ total, limit, offset, stats, messages: page.map(messageRecord) });
	},
};
