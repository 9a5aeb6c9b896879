import { claim } from '../../../nodes/MessagingService/remembered/duplicates';

test('remembers the last 10,000 events', async () => {
	const taken = Promise.resolve(true);
	for (let index = 0; index <= 10_000; index++) await claim(`c${index}`, taken);
	expect(await claim('c10000', taken)).toBe(false);
	expect(await claim('c1', taken)).toBe(false);
	expect(await claim('c0', taken)).toBe(true);
});
