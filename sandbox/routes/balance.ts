import { ok } from '../http/answer';
import { always, type Endpoint } from '../http/endpoint';

/** GET /balance (docs/service.md, section 4.2). */
export const balance: Endpoint = {
	method: 'GET',
	path: '/balance',
	scope: always(null),
	handle: ({ world }) => {
		const { leadBalance, ...user } = world.state.account;
		if (world.variants.balance === 'nested') return ok({ success: true, user });
		const { voiceMins, chatBalance, emailBalance } = user;
		return ok({ success: true, voiceMins, chatBalance, emailBalance, leadBalance });
	},
};
