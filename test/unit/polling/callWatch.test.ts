import { callWatch } from '../../../nodes/MessagingService/polling/callWatch';
import { FakeService } from '../../support/unit/fakeService';

const watch = callWatch(['started'], { route: '', search: '+91 98' });

test('is known by the filters as they are asked for', () => {
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

test('an end that is corrected, there and back, is a change each time, and another order is none', async () => {
	const events = callWatch(['statusChanged'], { route: '', search: '' });
	const service = new FakeService();
	service.add(3);
	for (const record of service.records) record.callStatus = 'failed';
	let { items, state } = await events.poll(service.call, undefined);
	let last = 'failed';
	for (const callStatus of ['success', 'failed', 'success']) {
		Object.assign(service.records[1] ?? {}, { callStatus });
		({ items, state } = await events.poll(service.call, state));
		expect(items).toMatchObject([{ event: 'statusChanged', callStatus, previousStatus: last }]);
		last = callStatus;
	}
	service.records.reverse();
	service.requests.length = 0;
	({ items, state } = await events.poll(service.call, state));
	expect(items).toEqual([]);
	expect(service.requests).toHaveLength(1);
});

test('without a total the list is read to its end', async () => {
	const service = new FakeService({ order: 'oldestFirst', totals: () => ({}) });
	const add = (count: number) => {
		service.add(count);
		for (const record of service.records) record.callStatus = 'success';
	};
	add(150);
	const { state } = await watch.poll(service.call, undefined);
	add(1);
	expect((await watch.poll(service.call, state)).items).toMatchObject([{ id: 151 }]);
});
