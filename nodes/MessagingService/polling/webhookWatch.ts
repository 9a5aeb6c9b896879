import { map, pick, reject, uniqBy } from 'lodash';
import { lists, readPage } from '../api/lists';
import type { Watch } from './watch';

/**
 * Watches the registered webhooks (GET /chat/webhooks, docs/service.md, section 4.11). Nothing else shows that a
 * trigger no longer receives events. A URL with an active registration emits no event: publishing replaces them.
 *
 * After a restart, the state may be out of date, because n8n stores it only after a poll that emits events. Then
 * every inactive registration emits an event: better twice than never.
 */
export const webhookWatch: Watch = {
	identity: { watch: 'webhooks' },
	poll: async (call, stored, afterRestart) => {
		const { records } = await readPage(call, lists.webhooks);
		const webhooks = records.map((record) => pick(record, ['id', 'url', 'isActive']));
		const last = (stored?.webhooks ?? []) as typeof webhooks;
		const before = stored && afterRestart ? uniqBy([...last, ...webhooks], 'id') : last;
		const activeUrls = new Set(map(reject(webhooks, { isActive: false }), 'url'));
		const ids = new Set(map(webhooks, 'id'));
		const items = before
			.filter(({ url }) => !activeUrls.has(url))
			.flatMap(({ id, url, isActive }) => {
				if (!ids.has(id)) return [{ event: 'webhook.removed', id, url }];
				const isKnownInactive = isActive === false && !afterRestart;
				return isKnownInactive ? [] : [{ event: 'webhook.deactivated', id, url }];
			});
		return { items, state: { webhooks } };
	},
	sample: async (call) => {
		const { records } = await readPage(call, lists.webhooks);
		const { id, url } = records[0] ?? example;
		return { event: 'webhook.removed', id, url };
	},
};

const example = {
	id: '0b7d3a52-8f0c-4a1e-9a37-2f1f6f1f3c55',
	url: 'https://n8n.example/webhook/example',
};
