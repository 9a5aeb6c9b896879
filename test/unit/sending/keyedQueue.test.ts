import { KeyedQueue } from '../../../nodes/MessagingService/sending/keyedQueue';

/** Work that ends when it is told to, and the order of what happened. */
function work(name: string, log: string[]) {
	let end = (): void => {};
	const ended = new Promise<void>((resolve) => (end = resolve));
	const run = async () => {
		log.push(`${name} begins`);
		await ended;
		log.push(`${name} ends`);
		return name;
	};
	return { end, run };
}

test('work with the same key waits for its turn, other work does not', async () => {
	const queue = new KeyedQueue();
	const log: string[] = [];
	const [first, second, other, free] = ['first', 'second', 'other', 'free'].map((name) =>
		work(name, log),
	);
	if (!first || !second || !other || !free) throw new Error('No work');
	const all = Promise.all([
		queue.take('a', first.run),
		queue.take('a', second.run),
		queue.take('b', other.run),
		queue.take(undefined, free.run),
	]);
	second.end();
	other.end();
	free.end();
	await Promise.resolve();
	first.end();
	expect(await all).toEqual(['first', 'second', 'other', 'free']);
	expect(log.indexOf('second begins')).toBeGreaterThan(log.indexOf('first ends'));
	expect(log.indexOf('other begins')).toBeLessThan(log.indexOf('first ends'));
	expect(log.indexOf('free begins')).toBeLessThan(log.indexOf('first ends'));
});
