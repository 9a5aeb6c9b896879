import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { lists, readPage } from '../api/lists';
import type { Watch } from './watch';

/** What is remembered of one registration. */
interface Registration extends IDataObject {
	id: string;
	url: string;
	isActive: boolean;
}

const storedSchema = z.object({
	webhooks: z.array(z.object({ id: z.string(), url: z.string(), isActive: z.boolean() })),
});

/**
 * Watches the registered webhooks (GET /chat/webhooks, docs/service.md, section 4.11): the only way
 * to hear that a trigger hears nothing any more. One request per poll.
 *
 * A registration that was replaced, as publishing a trigger with other events does, is no event:
 * its URL has another one that is active.
 *
 * n8n stores only what a poll with events gives: of registrations made since, those that are gone
 * again at a restart of n8n emit nothing.
 */
export const webhookWatch: Watch = {
	identity: { watch: 'webhooks' },
	poll: async (call, stored) => {
		const { records } = await readPage(call, lists.webhooks);
		const webhooks = records.map(registrationOf);
		const parsed = storedSchema.safeParse(stored);
		const before = parsed.success ? parsed.data.webhooks : [];
		return { items: losses(before, webhooks), state: { webhooks } };
	},
	sample: async (call) => {
		const { records } = await readPage(call, lists.webhooks);
		const { id, url } = records.map(registrationOf)[0] ?? example;
		return { event: 'webhook.removed', id, url };
	},
};

/** The events of registrations that are gone or inactive now and were not before. */
function losses(before: Registration[], now: Registration[]): IDataObject[] {
	const served = new Set(now.filter(({ isActive }) => isActive).map(({ url }) => url));
	const present = new Map(now.map((webhook) => [webhook.id, webhook]));
	return before
		.filter(({ url }) => !served.has(url))
		.flatMap(({ id, url, isActive }) => {
			if (!present.has(id)) return [{ event: 'webhook.removed', id, url }];
			return isActive ? [{ event: 'webhook.deactivated', id, url }] : [];
		});
}

const registrationOf = ({ id, url, isActive }: IDataObject): Registration => ({
	id: String(id),
	url: String(url),
	isActive: isActive !== false,
});

/** Shown by a manual test on an account without webhooks. */
const example = {
	id: '0b7d3a52-8f0c-4a1e-9a37-2f1f6f1f3c55',
	url: 'https://n8n.example/webhook/example',
};
