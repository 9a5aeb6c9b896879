import { ok } from '../http/answer';
import type { Endpoint } from '../http/endpoint';

/** GET /chat/configs (service-api.md, section 4). */
export const chatConfigs: Endpoint = {
	method: 'GET',
	path: '/chat/configs',
	scope: ({ configsScope }) => (configsScope ? 'chat:send' : null),
	handle: ({ world }) => ok({ configs: world.state.chatNumbers.list() }),
};
