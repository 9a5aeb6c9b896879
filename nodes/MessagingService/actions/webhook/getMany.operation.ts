import { recordsOf } from '../../api/records';
import { optionsField } from '../../parameters/sendOptions';
import type { Operation } from '../operation';

/** GET /chat/webhooks: the registrations, one item each (docs/service.md, section 4.11). */
export const getManyWebhooks: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many webhooks',
	description: 'Get the registered webhooks',
	fields: [optionsField()],
	request: () => ({ method: 'GET', path: '/chat/webhooks' }),
	output: (answer) => recordsOf(answer, 'webhooks'),
};
