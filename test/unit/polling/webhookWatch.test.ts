import type { IDataObject } from 'n8n-workflow';
import { webhookWatch } from '../../../nodes/MessagingService/polling/webhookWatch';

async function poll(webhooks: IDataObject[], stored?: IDataObject, isOld?: boolean) {
	const call = async () => await Promise.resolve({ webhooks });
	const { items, state } = await webhookWatch.poll(call, stored, isOld);
	return { items, state: JSON.parse(JSON.stringify(state)) as IDataObject };
}

const a = { id: '1', url: 'https://a.example/', isActive: true };
const b = { id: '2', url: 'https://b.example/', isActive: true };
const inactive = { ...a, isActive: false };

const gone = [{ event: 'webhook.removed', id: '1', url: a.url }];
const off = [{ event: 'webhook.deactivated', id: '1', url: a.url }];

test.each([
	['nothing changes', [a, b], [b, a], []],
	['one is made', [a], [a, b], []],
	['one is gone', [a, b], [b], gone],
	['one is inactive', [a, b], [inactive, b], off],
	['one stays inactive', [inactive], [inactive], []],
	['one is active again', [inactive], [a], []],
	['an inactive one is gone', [inactive], [], gone],
	['one is replaced', [a], [{ ...a, id: '3' }], []],
	['one is replaced by an inactive one', [a], [{ ...inactive, id: '3' }], gone],
	['one of two with the same URL is gone', [a, { ...a, id: '3' }], [a], []],
	['its successor does not say whether it is active', [a], [{ id: '3', url: a.url }], []],
])('when %s', async (_what, before, now, expected) => {
	const { items, state } = await poll(before);
	expect(items).toEqual([]);
	expect((await poll(now, state)).items).toEqual(expected);
});

test('an inactive webhook is emitted after a restart, which may have lost that it was active again', async () => {
	const { state } = await poll([a, inactive, b]);
	expect((await poll([inactive, b], state, true)).items).toEqual(off);
	const again = await poll([inactive, b], state);
	expect(again.items).toEqual(off);
	expect((await poll([inactive, b], again.state, true)).items).toEqual(off);
	// It was made since the last poll that n8n has stored.
	const other = { id: '3', url: 'https://c.example/', isActive: false };
	expect((await poll([a, b, other], state, true)).items).toEqual([
		{ event: 'webhook.deactivated', id: '3', url: other.url },
	]);
	expect((await poll([inactive], undefined, true)).items).toEqual([]);
});
