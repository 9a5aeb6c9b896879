import { claim } from '../../../nodes/MessagingService/api/duplicates';

const pending = () => {
	let settle: (taken: boolean) => void = () => {};
	const outcome = new Promise<boolean>((resolve) => (settle = resolve));
	return { outcome, settle };
};

test('of twenty deliveries at once one is passed on', async () => {
	const first = pending();
	const claims = Array.from({ length: 20 }, async () => await claim('a', first.outcome));
	first.settle(true);
	expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
});

test('remembers the last 10,000 events', async () => {
	const taken = Promise.resolve(true);
	for (let index = 0; index <= 10_000; index++) await claim(`c${index}`, taken);
	expect(await claim('c10000', taken)).toBe(false);
	expect(await claim('c1', taken)).toBe(false);
	expect(await claim('c0', taken)).toBe(true);
});
