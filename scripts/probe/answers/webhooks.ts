import { has, isArray, isPlainObject, map, some } from 'lodash';
import type { Seen } from '../probe';
import { registrationsIn } from '../registrations';
import { fitting, samplesOf } from './fitting';
import { bodyOf, isRejected } from './samples';

/** How webhooks are registered, listed and deleted. */
export function webhooks(seen: Seen) {
	const { registrations, numbers } = seen;
	const { made = [], deleted: deletions = [], listed, after } = registrations ?? {};
	const list = listed?.problem === undefined ? (listed ?? seen.webhooks) : seen.webhooks;
	const unread = seen.webhooks.problem ?? made[0]?.problem ?? seen.problem;
	const none = { problem: unread ?? 'needs --listen' };
	const deleted = deletions.filter(({ problem }) => problem === undefined);
	const idsIn = (body: unknown) => map(registrationsIn(body), 'id');
	const [first, second] = made.map(({ body }) => idsIn(body)[0]);
	const isListed = (id?: string) => id !== undefined && idsIn(listed?.body).includes(id);
	const statuses = map(made, 'status').join(', ');
	const pair =
		listed?.problem === undefined && made[0]?.problem === undefined ? made[1] : undefined;
	const isLeft = ({ id }: { id: string }) => idsIn(after?.body).includes(id);
	return {
		webhookList: fitting([bodyOf('GET /chat/webhooks', list)], {
			webhooks: (body) => has(body, 'webhooks'),
			data: (body) => has(body, 'data') && !isPlainObject(body.data),
			nested: (body) => has(body, 'data.webhooks'),
			bare: isArray,
			otherKey: (body) =>
				!isArray(body) && !has(body, 'webhooks') && !has(body, 'data') && some(body, isArray),
		}),
		webhookFields: fitting([samplesOf('webhooks', registrationsIn(list.body), list)], {
			all: (one) => has(one, 'events'),
			withoutEvents: (one) => !has(one, 'events') && has(one, 'isActive'),
			idAndUrl: (one) => !has(one, 'events') && !has(one, 'isActive'),
		}),
		sameUrl: fitting([samplesOf(`registered twice (${statuses})`, pair ? [pair] : [], none)], {
			second: () => first !== second && isListed(first) && isListed(second),
			replace: () => !isListed(first) && isListed(second),
			reject: isRejected,
		}),
		deleteResponse: fitting([samplesOf('deletions', deleted, none)], {
			body: ({ body }) => isPlainObject(body),
			empty: ({ body }) => body === '',
		}),
		deleted: fitting([samplesOf('list after the deletion', after?.problem ? [] : deleted, none)], {
			gone: (one) => !isLeft(one),
			inactive: isLeft,
		}),
		// Only a key without the scope shows whether it is checked.
		chatScopes:
			seen.webhooks.status === 403
				? fitting([samplesOf('GET /chat/configs', [numbers])], {
						checked: ({ status }) => status === 403,
						unchecked: ({ problem }) => problem === undefined,
					})
				: { how: 'needs a key without the scope chat:send' },
	};
}
