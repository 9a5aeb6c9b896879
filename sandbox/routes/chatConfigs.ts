import { ok } from '../http/answer';
import type { Endpoint } from '../http/endpoint';

/** GET /chat/configs (docs/service.md, section 4.3). */
export const chatConfigs: Endpoint = {
	method: 'GET',
	path: '/chat/configs',
	scope: ({ configsScope }) => (configsScope ? 'chat:send' : null),
	handle: ({ world }) => ok({ configs: world.state.chatNumbers.list() }),
};
