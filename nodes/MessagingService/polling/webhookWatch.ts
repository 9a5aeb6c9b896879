import { map, pick, reject, some, uniqBy } from 'lodash';
import { lists, readPage } from '../api/lists';
import type { Watch } from './watch';

/**
 * Watches the registered webhooks (GET /chat/webhooks, docs/service.md, section 4.11): the only way
 * to hear that a trigger hears nothing any more. One request per poll.
 *
 * A registration that was replaced, as publishing a trigger with other events does, is no event:
 * its URL has another one that is active.
 *
 * n8n stores only what a poll with events gives. So after a restart every registration is looked at
 * as one that was active meanwhile: what is inactive is told, rather twice than never. Of those made
 * since, the ones that are gone again emit nothing.
 */
export const webhookWatch: Watch = {
	identity: { watch: 'webhooks' },
	poll: async (call, stored, isOld) => {
		const { records } = await readPage(call, lists.webhooks);
		const webhooks = records.map((record) => pick(record, ['id', 'url', 'isActive']));
		const known = (stored?.webhooks ?? []) as typeof webhooks;
		const before = stored && isOld ? uniqBy([...known, ...webhooks], 'id') : known;
		const served = map(reject(webhooks, { isActive: false }), 'url');
		const items = before
			.filter(({ url }) => !served.includes(url))
			.flatMap(({ id, url, isActive }) => {
				if (!some(webhooks, { id })) return [{ event: 'webhook.removed', id, url }];
				const isTold = isActive === false && !isOld;
				return isTold ? [] : [{ event: 'webhook.deactivated', id, url }];
			});
		return { items, state: { webhooks } };
	},
	sample: async (call) => {
		const { records } = await readPage(call, lists.webhooks);
		const { id, url } = records[0] ?? example;
		return { event: 'webhook.removed', id, url };
	},
};

/** Shown by a manual test on an account without webhooks. */
const example = {
	id: '0b7d3a52-8f0c-4a1e-9a37-2f1f6f1f3c55',
	url: 'https://n8n.example/webhook/example',
};
