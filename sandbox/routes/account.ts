import { ok, type Endpoint } from '../http/endpoint';
import { chatNumberRecord } from '../state/account';
import { writeTime } from '../state/records';

/** GET /balance (docs/service.md, section 4.2). */
export const balance: Endpoint = {
	method: 'GET',
	path: '/balance',
	scope: null,
	handle: ({ state, assumptions }) => {
		const { leadBalance, createdAt, ...user } = state.account;
		if (assumptions.balance === 'nested') {
			const created = { createdAt: writeTime(createdAt) };
			return ok({ success: true, user: { ...user, ...created } });
		}
		const { voiceMins, chatBalance, emailBalance } = user;
		return ok({ success: true, voiceMins, chatBalance, emailBalance, leadBalance });
	},
};

/** GET /chat/configs (docs/service.md, section 4.3). */
export const chatConfigs: Endpoint = {
	method: 'GET',
	path: '/chat/configs',
	scope: null,
	handle: ({ state, assumptions }) =>
		ok({ configs: state.chatNumbers.all.map((number) => chatNumberRecord(number, assumptions)) }),
};
