import type { IDataObject } from 'n8n-workflow';
import type { Call } from '../../../nodes/MessagingService/api/client';
import { messageWatch } from '../../../nodes/MessagingService/polling/messageWatch';
import { FakeService } from '../../support/unit/fakeService';

/** A list of sent messages that has been polled once. */
async function polled(count: number, statuses = ['Read'], isCounted = true) {
	const watch = messageWatch(statuses, 0);
	const service: FakeService = new FakeService({
		totals: (total) => {
			const read = service.records.filter(({ status }) => status === 'Read').length;
			return { total, ...(isCounted && { stats: { Sent: total - read, Read: read } }) };
		},
	});
	const add = (more: number) => {
		service.add(more);
		for (const record of service.records) record.status ??= 'Sent';
	};
	add(count);
	let { state } = await watch.poll(service.call, undefined);
	const poll = async () => {
		service.requests.length = 0;
		const { items, ...next } = await watch.poll(service.call, state);
		({ state } = next);
		return items;
	};
	return { service, add, poll };
}

test('a status that was passed between two polls is reached, once', async () => {
	const { service, add, poll } = await polled(3, ['Sent', 'Delivered']);
	const [first, second, third] = service.records as [IDataObject, IDataObject, IDataObject];
	first.status = 'Read';
	second.status = 'Delivered';
	third.status = 'FAILED';
	add(1);
	const newest = service.records[3] as IDataObject;
	newest.status = 'read';
	expect(await poll()).toEqual([first, second, newest]);
	for (const status of ['Read', 'Sent', 'Delivered']) {
		second.status = status;
		expect(await poll()).toEqual([]);
	}
});

test.each([
	['with', true],
	['without', false],
])(
	'a campaign of 10,000 is watched to its oldest, %s counts in the pages',
	async (_, isCounted) => {
		const { service, poll } = await polled(10_000, undefined, isCounted);
		const [oldest] = service.records as [IDataObject];
		oldest.status = 'Read';
		expect(await poll()).toEqual([oldest]);
	},
);

test.each([
	['later', {}],
	['in the same moment', { sentAt: '2023-11-14T22:13:20.003Z' }],
	['without a time', { sentAt: undefined }],
])(
	'a message that came %s is emitted, even if all known ones have left',
	async (_when, written) => {
		const { service, add, poll } = await polled(3);
		service.records.length = 0;
		add(2);
		for (const record of service.records) Object.assign(record, written);
		const newest = service.records[1] as IDataObject;
		newest.status = 'Read';
		expect(await poll()).toEqual([newest]);
		expect(await poll()).toEqual([]);
	},
);

test('the list of another account is a new start, known by what it watches', async () => {
	expect(messageWatch(['Read'], 0).identity).toEqual({ watch: 'messages' });
	expect(messageWatch(['Read'], 30).identity).toEqual({ watch: 'messages', stuckAfter: 30 });
	const { service, poll } = await polled(3);
	service.records.length = 0;
	service.add(2, (id) => id - 4);
	for (const record of service.records) record.status = 'Read';
	expect(await poll()).toEqual([]);
});

describe('a message that stays Sent', () => {
	const minute = 60_000;
	const sentAt = 1_700_000_000_000;
	afterEach(() => jest.restoreAllMocks());

	test('is stuck by the clock of the service, if it tells its time', async () => {
		jest.spyOn(Date, 'now').mockReturnValue(sentAt + 500 * minute);
		const watch = messageWatch(['Read'], 30);
		const service = new FakeService();
		let date = sentAt + 29 * minute;
		const call: Call = async (request) => {
			request.onTimed?.(0, date - Date.now());
			return await service.call(request);
		};
		const start = await watch.poll(call, undefined);
		service.add(1);
		Object.assign(service.records[0] ?? {}, { status: 'Sent' });
		const soon = await watch.poll(call, start.state);
		expect(soon.items).toEqual([]);
		date = sentAt + 31 * minute;
		expect((await watch.poll(call, soon.state)).items).toMatchObject([{ event: 'message.stuck' }]);
	});

	test.each([
		['a time', undefined],
		['an offset in its time', '2023-11-14T22:13:20.003'],
	])('is never stuck without %s, and causes no further request', async (_name, sentAt) => {
		const watch = messageWatch(['Read'], 30);
		const service = new FakeService({ totals: (total) => ({ total, stats: { Sent: total } }) });
		const start = await watch.poll(service.call, undefined);
		service.add(1);
		service.records.splice(0, 1, { id: 1, status: 'Sent', sentAt });
		const { items, state } = await watch.poll(service.call, start.state);
		expect(items).toEqual([]);
		service.requests.length = 0;
		expect((await watch.poll(service.call, state)).items).toEqual([]);
		expect(service.requests).toHaveLength(1);
	});
});
