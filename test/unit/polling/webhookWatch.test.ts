import type { IDataObject } from 'n8n-workflow';
import { webhookWatch } from '../../../nodes/MessagingService/polling/webhookWatch';

interface Webhook {
	id: string;
	url: string;
	isActive?: boolean;
}

async function poll(webhooks: Webhook[], stored?: IDataObject, isOld?: boolean) {
	const response = { webhooks: webhooks.map((webhook) => ({ ...webhook, events: [] })) };
	const call = async () => await Promise.resolve(response as unknown as IDataObject);
	const { items, state } = await webhookWatch.poll(call, stored, isOld);
	return { items, state: JSON.parse(JSON.stringify(state)) as IDataObject };
}

/** What a poll emits after one that has seen other webhooks. */
async function between(before: Webhook[], now: Webhook[]) {
	const { items, state } = await poll(before);
	expect(items).toEqual([]);
	return (await poll(now, state)).items;
}

const a = { id: '1', url: 'https://a.example/', isActive: true };
const b = { id: '2', url: 'https://b.example/', isActive: true };
const inactive = { ...a, isActive: false };

test.each([
	['nothing changes', [a, b], [b, a], []],
	['one is made', [a], [a, b], []],
	['one is gone', [a, b], [b], [{ event: 'webhook.removed', id: '1', url: a.url }]],
	['the last one is gone', [a], [], [{ event: 'webhook.removed', id: '1', url: a.url }]],
	[
		'one is inactive',
		[a, b],
		[inactive, b],
		[{ event: 'webhook.deactivated', id: '1', url: a.url }],
	],
	['one stays inactive', [inactive], [inactive], []],
	['one is active again', [inactive], [a], []],
	['an inactive one is gone', [inactive], [], [{ event: 'webhook.removed', id: '1', url: a.url }]],
	['one is replaced', [a], [{ ...a, id: '3' }], []],
	[
		'one is replaced by an inactive one',
		[a],
		[{ ...inactive, id: '3' }],
		[{ event: 'webhook.removed', id: '1', url: a.url }],
	],
	['one of two with the same URL is gone', [a, { ...a, id: '3' }], [a], []],
	['its successor does not say whether it is active', [a], [{ id: '3', url: a.url }], []],
])('when %s', async (_what, before, now, expected) => {
	expect(await between(before, now)).toEqual(expected);
});

test('what is inactive is told after a restart, which may have forgotten that it came back', async () => {
	const { state } = await poll([a, inactive, b]);
	const deactivated = [{ event: 'webhook.deactivated', id: '1', url: a.url }];
	expect((await poll([inactive, b], state, true)).items).toEqual(deactivated);
	const again = await poll([inactive, b], state);
	expect(again.items).toEqual(deactivated);
	expect((await poll([inactive, b], again.state, true)).items).toEqual(deactivated);
	// It was made since the last poll that n8n has stored.
	const other = { id: '3', url: 'https://c.example/', isActive: false };
	expect((await poll([a, b, other], state, true)).items).toEqual([
		{ event: 'webhook.deactivated', id: '3', url: other.url },
	]);
	expect((await poll([inactive], undefined, true)).items).toEqual([]);
});
