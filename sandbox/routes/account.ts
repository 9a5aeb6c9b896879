import { ok, type Endpoint } from '../http/endpoint';

/** GET /balance (docs/service.md, section 4.2). */
export const balance: Endpoint = {
	method: 'GET',
	path: '/balance',
	scope: null,
	handle: ({ service }) => {
		const { leadBalance, ...user } = service.state.account;
		if (service.assumptions.balance === 'nested') return ok({ success: true, user });
		const { voiceMins, chatBalance, emailBalance } = user;
		return ok({ success: true, voiceMins, chatBalance, emailBalance, leadBalance });
	},
};

/** GET /chat/configs (docs/service.md, section 4.3). */
export const chatConfigs: Endpoint = {
	method: 'GET',
	path: '/chat/configs',
	scope: ({ configsScope }) => (configsScope ? 'chat:send' : null),
	handle: ({ service }) => ok({ configs: service.state.chatNumbers.list() }),
};
