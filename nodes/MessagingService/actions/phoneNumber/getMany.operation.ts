import { recordsOf } from '../../api/records';
import { optionsField } from '../../parameters/sendOptions';
import type { Operation } from '../operation';

/** GET /chat/configs: the connected numbers, one item each (docs/service.md, section 4.3). */
export const getManyNumbers: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many phone numbers',
	description: 'Get the numbers connected to the account, with their quality rating',
	fields: [optionsField()],
	request: () => ({ method: 'GET', path: '/chat/configs' }),
	output: (answer) => recordsOf(answer, 'configs'),
};
