import type { IDataObject } from 'n8n-workflow';
import { callWatch } from '../../../nodes/MessagingService/polling/callWatch';
import type { Watch } from '../../../nodes/MessagingService/polling/watch';
import { FakeService } from '../../support/unit/fakeService';

let watch: Watch;
beforeEach(() => {
	watch = callWatch(['started'], { route: '', search: '4477' });
});

test.each([
	[1_200, 1],
	[950, 100],
])('of %i calls of one moment and %i later ones no old one is taken for new', async (...counts) => {
	const service = new FakeService({ order: 'oldestFirst' });
	let state: IDataObject | undefined;
	for (const [index, count] of [...counts, 1].entries()) {
		service.add(count, () => index);
		for (const record of service.records) record.callStatus ??= 'success';
		const polled = await watch.poll(service.call, state);
		const added = service.records.slice(-count).map(({ id }) => id);
		expect(new Set(polled.items.map(({ id }) => id))).toEqual(new Set(index === 0 ? [] : added));
		expect(polled.items).toHaveLength(index === 0 ? 0 : count);
		({ state } = polled);
		// The service shows them in any order.
		service.records.push(...service.records.splice(0, 300));
	}
});

test.each<[string, IDataObject, number, number]>([
	['unless a call is going on', { callStatus: 'answered', duration: 0 }, 1, 4],
	['if what nobody ended is a day old', { callStatus: 'initiated', duration: 0 }, 25, 1],
	['if all have ended', { callStatus: 'success' }, 1, 1],
])('one request shows that nothing has happened, %s', async (_, last, hours, requests) => {
	const service = new FakeService();
	const now = Date.now() - 1_700_000_000_000;
	service.add(250, (n) => now - n * 1_000 - hours * 3_600_000);
	for (const record of service.records) record.callStatus = 'success';
	Object.assign(service.records[0] ?? {}, last);
	const { state } = await watch.poll(service.call, undefined);
	service.requests.length = 0;
	expect((await watch.poll(service.call, state)).items).toEqual([]);
	expect(service.requests).toHaveLength(requests);
});

test.each<[IDataObject, string[]]>([
	[{ callStatus: 'initiated', status: 'Started' }, []],
	[{ callStatus: 'in-progress', status: 'Success', duration: 0 }, ['statusChanged']],
	[{ callStatus: 'answered', duration: 1 }, ['statusChanged', 'ended']],
	[{ callStatus: 'No-Answer' }, ['statusChanged', 'ended']],
	// The label tells of what is not documented, and of what is not there.
	[{ callStatus: 'busy', status: 'Failed' }, ['statusChanged', 'ended']],
	[{ callStatus: null, status: 'Success' }, ['statusChanged', 'ended']],
])('a call that is new as %j has started, and %j', async (record, more) => {
	const all = callWatch(['started', 'statusChanged', 'ended'], { route: '', search: '' });
	const service = new FakeService();
	const { state } = await all.poll(service.call, undefined);
	service.add(1);
	Object.assign(service.records[0] ?? {}, record);
	const { items } = await all.poll(service.call, state);
	expect(items.map(({ event }) => event)).toEqual(['started', ...more]);
});
