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

const heldBy = (queue: KeyedQueue) => (queue as unknown as { last: Map<string, unknown> }).last;

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

test('work that fails does not keep the next from its turn, nor from its own result', async () => {
	const queue = new KeyedQueue();
	const log: string[] = [];
	const [second, third] = ['second', 'third'].map((name) => work(name, log));
	if (!second || !third) throw new Error('No work');
	const first = queue.take('a', async () => await Promise.reject(new Error('first')));
	const others = [queue.take('a', second.run), queue.take('a', third.run)];
	await expect(first).rejects.toThrow('first');
	expect(log).toEqual(['second begins']);
	// What comes later waits for those that are left, too.
	const fourth = queue.take('a', async () => await Promise.resolve(log.push('fourth')));
	second.end();
	third.end();
	expect(await Promise.all(others)).toEqual(['second', 'third']);
	await fourth;
	expect(log).toEqual(['second begins', 'second ends', 'third begins', 'third ends', 'fourth']);
});

test('a key is forgotten with the last work that has it', async () => {
	const queue = new KeyedQueue();
	const { size: before } = heldBy(queue);
	const all = [1, 2].map((n) => queue.take('a', async () => await Promise.resolve(n)));
	await all[0];
	expect(heldBy(queue).size).toBe(before + 1);
	await all[1];
	expect(heldBy(queue).size).toBe(before);
});
