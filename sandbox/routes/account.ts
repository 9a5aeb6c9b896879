import { writeChatNumber } from '../dialect';
import type { Endpoint } from '../http/endpoint';

/** GET /balance (docs/service.md, section 4.2). */
export const balance: Endpoint = {
	method: 'GET',
	path: '/balance',
	scope: null,
	handle: ({ service, state }) => {
		const { leadBalance, ...user } = state.account;
		if (service.assumptions.balance === 'nested') return { success: true, user };
		const { voiceMins, chatBalance, emailBalance } = user;
		return { success: true, voiceMins, chatBalance, emailBalance, leadBalance };
	},
};

/** GET /chat/configs (docs/service.md, section 4.3). */
export const chatConfigs: Endpoint = {
	method: 'GET',
	path: '/chat/configs',
	scope: null,
	openScope: 'chat:send',
	handle: ({ service, state }) => ({
		configs: state.chatNumbers.map((number) => ({
			...number,
			phoneNumber: writeChatNumber(number.phoneNumber, service.assumptions),
		})),
	}),
};
