import { callWatch } from '../../../nodes/MessagingService/polling/callWatch';
import { FakeService } from '../../support/unit/fakeService';

const watch = callWatch(['started'], { route: '', search: '+91 98' });

test('asks for its filters, and is known by them', async () => {
	const service = new FakeService();
	await watch.poll(service.call, undefined);
	expect(service.requests.map(({ search }) => search)).toEqual(['9198', '9198']);
	expect(watch.identity).toEqual({ watch: 'voiceCalls', search: '9198' });
});

test('of more calls of one moment than are watched, none of the others is taken for new', async () => {
	const service = new FakeService({ order: 'oldestFirst' });
	const add = (count: number, time: number) => {
		service.add(count, () => time);
		for (const record of service.records) record.callStatus ??= 'success';
	};
	add(1_200, 0);
	const { state } = await watch.poll(service.call, undefined);
	// The service shows them in any order.
	service.records.reverse();
	add(1, 1);
	const { items } = await watch.poll(service.call, state);
	expect(items.map(({ id }) => id)).toEqual([1_201]);
});

test('one request shows that nothing has happened, unless a call is going on', async () => {
	const service = new FakeService();
	service.add(250);
	for (const record of service.records) record.callStatus = 'success';
	let { items, state } = await watch.poll(service.call, undefined);
	const requestsOf = async () => {
		service.requests.length = 0;
		({ items, state } = await watch.poll(service.call, state));
		expect(items).toEqual([]);
		return service.requests.length;
	};
	expect(await requestsOf()).toBe(1);
	Object.assign(service.records[0] ?? {}, { callStatus: 'answered', duration: 0 });
	({ state } = await watch.poll(service.call, undefined));
	expect(await requestsOf()).toBe(4);
	Object.assign(service.records[0] ?? {}, { duration: 12 });
	expect(await requestsOf()).toBe(4);
	expect(await requestsOf()).toBe(1);
});
