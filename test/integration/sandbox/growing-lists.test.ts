import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();

/** Reads a list of messages to its end, as long as its pages are full. */
async function readMessages(): Promise<string[]> {
	const ids: string[] = [];
	for (;;) {
		const { data } = await fixture.api.get(`/chat/campaigns?limit=10&offset=${ids.length}`);
		ids.push(...data.messages.map(({ id }: { id: string }) => id));
		if (data.messages.length < 10) return ids;
	}
}

test.each([
	['newestFirst', 25, 3],
	['oldestFirst', 28, 0],
] as const)(
	'%s: messages that come while pages are read move the rest, or are appended',
	async (listOrder, different, repeated) => {
		await fixture.control.setAssumptions({ listOrder });
		await fixture.control.addMessages(25);
		await fixture.control.addFault({ kind: 'grow', path: '/chat/campaigns', messages: { n: 3 } });
		const ids = await readMessages();
		expect(new Set(ids).size).toBe(different);
		expect(ids.length - new Set(ids).size).toBe(repeated);
		expect(await fixture.control.messages()).toHaveLength(28);
	},
);

test('a list grows after the pages that are wanted, as often as wanted', async () => {
	await fixture.control.addCalls(1);
	await fixture.control.addFault({
		kind: 'grow',
		path: '/voice/call-logs',
		skip: 1,
		count: 2,
		calls: { n: 5, template: { callStatus: 'no-answer' } },
	});
	const totals: number[] = [];
	for (let page = 0; page < 5; page++) {
		totals.push((await fixture.api.get('/voice/call-logs')).data.pagination.total);
	}
	expect(totals).toEqual([1, 1, 6, 11, 11]);
	const [entry] = await fixture.control.journal({ kind: 'request' });
	expect(entry).toMatchObject({ status: 200, processed: true, fault: null });
});

test('records that get another status leave a list after the page that is wanted', async () => {
	const [message = '', ...messages] = await fixture.control.addMessages(3);
	const [call = ''] = await fixture.control.addCalls(3, { callStatus: 'initiated' });
	await fixture.control.addFault({
		kind: 'grow',
		path: '/chat/campaigns',
		messageStatuses: { [message]: 'Read' },
		callStatuses: { [call]: 'success' },
	});
	const sent = async () => {
		const { data } = await fixture.api.get('/chat/campaigns?status=Sent');
		return data.messages.map(({ id }: { id: string }) => id).sort();
	};
	const started = async () =>
		(await fixture.api.get('/voice/call-logs?status=initiated')).data.pagination.total;
	expect(await sent()).toEqual([message, ...messages].sort());
	expect(await sent()).toEqual(messages.sort());
	expect(await started()).toBe(2);
});
