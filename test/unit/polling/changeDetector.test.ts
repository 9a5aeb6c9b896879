import { ChangeDetector } from '../../../nodes/MessagingService/polling/changeDetector';
import { callEvents, callRules } from '../../../nodes/MessagingService/polling/callWatch';
import { FakeList, FakePoller, fakeRules } from '../../support/unit/fakeList';

/** A list of so many records that has been looked at once. */
async function known(count: number, rules = fakeRules({})) {
	const list = new FakeList('newestFirst', 3);
	for (let n = 0; n < count; n++) list.add('Sent');
	const poller = new FakePoller(list, rules, ({ record }) => [record]);
	await poller.poll();
	list.reads = 0;
	const ids = async () => (await poller.poll()).map(({ id }) => id);
	return { list, poller, ids };
}

describe('pages read', () => {
	test('one while nothing happens', async () => {
		const { list, ids } = await known(30);
		expect(await ids()).toEqual([]);
		expect(list.reads).toBe(1);
	});

	test('up to the changed record and no further', async () => {
		const { list, ids } = await known(30);
		const record = list.records[20];
		if (record) record.status = 'Read';
		expect(await ids()).toEqual(['r20']);
		expect(list.reads).toBe(4);
	});

	test('up to the known part after many new records', async () => {
		const { list, ids } = await known(30);
		for (let n = 0; n < 10; n++) list.add('Sent');
		expect(await ids()).toHaveLength(10);
		expect(list.reads).toBe(4);
	});

	test('all of the window once more when the counts stay unexplained, then one again', async () => {
		const { list, ids } = await known(30, fakeRules({ window: 9 }));
		const record = list.records[0];
		if (record) record.status = 'Read';
		expect(await ids()).toEqual([]);
		expect(await ids()).toEqual([]);
		list.reads = 0;
		expect(await ids()).toEqual([]);
		expect(list.reads).toBe(1);
	});
});

describe('what the counts do not show', () => {
	test('a record that moved to a page already read is emitted by the next poll', async () => {
		const list = new FakeList('mixed', 3);
		for (let place = 12; place > 0; place--) list.add('Sent', { place });
		const poller = new FakePoller(list, fakeRules({}), ({ record }) => [record]);
		await poller.poll();
		const moving = list.add('Sent', { place: 20 });
		const items = await poller.poll((page) => {
			if (page === 4) moving.place = 4.5;
		});
		expect(items).toEqual([]);
		expect(await poller.poll()).toMatchObject([{ id: moving.id }]);
	});

	test('a record that is read twice, because others came before it, counts once', async () => {
		const { list, poller, ids } = await known(30);
		for (let n = 0; n < 4; n++) list.add('Sent');
		const items = await poller.poll((page) => {
			if (page === 1) list.add('Sent');
		});
		expect(items.map(({ id }) => id)).toEqual(['r30', 'r31', 'r32', 'r33']);
		list.reads = 0;
		expect(await ids()).toEqual(['r34']);
		expect(list.reads).toBe(1);
	});

	test('what moves to a page that was not there at first is read', async () => {
		const { list, poller } = await known(3);
		const [oldest] = list.records;
		if (oldest) oldest.status = 'Read';
		list.add('Sent');
		const items = await poller.poll((page) => {
			if (page === 1) for (let n = 0; n < 3; n++) list.add('Sent');
		});
		expect(items.map(({ id }) => id)).toEqual(['r0', 'r3']);
	});

	test('a deleted record does not hide a new one', async () => {
		const { list, ids } = await known(30);
		list.records.splice(10, 1);
		const added = ['a', 'b', 'c', 'd'].map((id) => Object.assign(list.add('Sent'), { id }).id);
		expect(await ids()).toEqual(added);
	});

	test('records older than the starting point reached are old wherever they appear', () => {
		const record = (id: string, time: number) => ({ id, time, status: 'Sent' });
		const rules = fakeRules({ window: 2 });
		const start = new ChangeDetector(rules, undefined);
		start.add({ records: [record('b', 5), record('a', 4)], total: 9 });
		const { history } = start.finish();
		const next = new ChangeDetector(rules, history);
		next.add({ records: [record('new', 6), record('old', 4), record('older', 3)], total: 10 });
		expect(next.finish().changes).toMatchObject([{ record: { id: 'new' } }]);
	});
});

describe('calls that still go on', () => {
	const rules = fakeRules({ hasStats: false, mustBeRead: callRules.mustBeRead });
	const day = 24 * 60 * 60 * 1_000;

	test('are read until they have ended', async () => {
		const { list, ids } = await known(0, rules);
		const call = list.add('answered');
		for (let n = 0; n < 8; n++) list.add('success');
		expect(await ids()).toHaveLength(9);
		list.reads = 0;
		expect(await ids()).toEqual([]);
		expect(list.reads).toBe(3);
		call.status = 'success';
		expect(await ids()).toEqual(['r0']);
		list.reads = 0;
		expect(await ids()).toEqual([]);
		expect(list.reads).toBe(1);
	});

	test('are not waited for when others started a day later', async () => {
		const { list, ids } = await known(0, rules);
		list.add('answered');
		for (let n = 0; n < 8; n++) list.add('success', { later: day });
		await ids();
		list.reads = 0;
		expect(await ids()).toEqual([]);
		expect(list.reads).toBe(1);
	});
});

test('a list of another account is a new starting point', async () => {
	const { list, ids } = await known(5);
	for (const record of list.records) record.id = `other ${record.id}`;
	expect(await ids()).toEqual([]);
	list.add('Sent');
	expect(await ids()).toEqual(['r5']);
});

test('a late correction of how a call ended is a change, but no second end', () => {
	const previous = { key: '', time: 0, status: 'failed', seen: ['initiated', 'failed'] };
	expect(callEvents({ record: { id: 'a' }, status: 'success', previous })).toEqual([
		{ id: 'a', event: 'statusChanged', previousStatus: 'failed' },
	]);
});
