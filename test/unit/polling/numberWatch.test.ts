import type { IDataObject } from 'n8n-workflow';
import { numberWatch } from '../../../nodes/MessagingService/polling/numberWatch';

const number = (id: string, qualityRating?: string): IDataObject => ({
	id,
	phoneNumber: `44163296000${id}`,
	...(qualityRating === undefined ? {} : { qualityRating }),
	wabaId: 'w',
});

const answering = (configs: IDataObject[]) => async () => await Promise.resolve({ configs });

async function polled(before: IDataObject[], now: IDataObject[]) {
	const { items, state } = await numberWatch.poll(answering(before), undefined);
	expect(items).toEqual([]);
	return (await numberWatch.poll(answering(now), JSON.parse(JSON.stringify(state)))).items;
}

const [one, two] = [number('1', 'GREEN'), number('2')];

test.each([
	['as it was is no event, in whatever order', [one, two], [two, one], 0],
	['new and listed twice is one event', [two], [one, one, two], 1],
	['gone and was listed twice is one event', [one, one, two], [two], 1],
])('a number that is %s', async (_what, before, now, events) => {
	expect(await polled(before, now)).toHaveLength(events);
});

test('a change of quality, a number that is gone and one that is new are', async () => {
	const before = [number('1', 'GREEN'), number('2', 'RED'), number('3')];
	const now = [number('3', 'GREEN'), number('1', 'YELLOW'), number('4', 'GREEN')];
	expect(await polled(before, now)).toEqual([
		{ event: 'number.removed', id: '2', phoneNumber: '441632960002', qualityRating: 'RED' },
		{ event: 'number.qualityChanged', ...now[0], previousQualityRating: '' },
		{ event: 'number.qualityChanged', ...now[1], previousQualityRating: 'GREEN' },
		{ event: 'number.added', ...now[2] },
	]);
});
