import fc from 'fast-check';
import { countBy, groupBy, range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { FakeNode } from '../../support/unit/fakeNode';
import { message, messageOf } from '../../support/unit/fakeOperations';
import { atOnce, parameters, phonesOf, turns } from '../../support/unit/sends';

const numbered = messageOf('phone', 'text');

/** A list of texts in drawn order, with how long each response takes and whether it is a failure. */
const lists = (items: number, recipients: number) =>
	fc.array(
		fc.record({
			phone: fc.integer({ min: 1, max: recipients }).map((number) => `4477009002${number}`),
			takes: fc.nat(6),
			fails: fc.integer({ min: 0, max: 49 }).map((one) => one === 0),
		}),
		{ minLength: items, maxLength: items },
	);

/** Runs a list and reports every start and end of a request. */
async function ran(
	list: Array<{ phone: string; takes: number; fails: boolean }>,
	continueOnFail: boolean,
) {
	const events: Array<{ text: number; phone: string; is: 'start' | 'end' }> = [];
	const respond = async ({ phone, text }: IDataObject) => {
		const event = { text: Number(text), phone: String(phone) };
		const { takes = 0, fails = false } = list[event.text] ?? {};
		events.push({ ...event, is: 'start' });
		await turns(takes);
		events.push({ ...event, is: 'end' });
		return fails ? { error: 'No' } : {};
	};
	const node = new FakeNode({ respond });
	const items = list.map(({ phone }, index) => ({ phone, text: String(index) }));
	const all = { ...parameters(atOnce(5)), text: '={{ $json.text }}' };
	await node.tried(numbered, { items, parameters: all, continueOnFail });
	return events;
}

test.each([true, false])('to one recipient in item order, continuing: %j', async (continues) => {
	await fc.assert(
		fc.asyncProperty(lists(200, 10), async (list) => {
			const events = await ran(list, continues);
			for (const own of Object.values(groupBy(events, 'phone'))) {
				expect(own.map(({ is }) => is)).toEqual(own.map((_, n) => (n % 2 === 0 ? 'start' : 'end')));
				const texts = own.map(({ text }) => text);
				expect(texts).toEqual([...texts].sort((a, b) => a - b));
			}
			let inFlight = 0;
			for (const { is } of events) {
				inFlight += is === 'start' ? 1 : -1;
				expect(inFlight).toBeLessThanOrEqual(5);
			}
			const firstFailure = events.findIndex(({ text, is }) => is === 'end' && list[text]?.fails);
			const started = events.filter(({ is }) => is === 'start').length;
			if (continues || firstFailure === -1) expect(started).toBe(list.length);
			else expect(countBy(events.slice(firstFailure), 'is').start ?? 0).toBeLessThan(5);
		}),
		// Shrinking a long list takes minutes.
		{ numRuns: 10, endOnFailure: true },
	);
});

test('a slow recipient delays nobody else', async () => {
	let release = () => {};
	const released = new Promise<void>((resolve) => (release = resolve));
	const others = range(40).map((number) => String(200 + number));
	const respond = async ({ phone }: IDataObject) => {
		if (phone === '100') await released;
		return {};
	};
	const node = new FakeNode({ respond });
	const items = [...Array<string>(8).fill('100'), ...others].map((phone) => ({ phone }));
	const run = node.run(message, { items, parameters: parameters(atOnce(5)) });
	for (let turn = 0; turn < 1_000 && node.requests.length < 41; turn++) await turns(1);
	expect(phonesOf(node)).toEqual(['100', ...others]);
	release();
	await run;
	expect(countBy(phonesOf(node))['100']).toBe(8);
});

test('of equal keys the first item is sent, even if the recipients differ', async () => {
	const node = new FakeNode();
	const list = [
		{ phone: '100', key: 'a' },
		{ phone: '100', key: 'b' },
		{ phone: '101', key: 'b' },
	];
	const options = { ...atOnce(5), idempotencyKey: '={{ $json.key }}' };
	const output = await node.json(message, { items: list, parameters: parameters(options) });
	expect(phonesOf(node)).toEqual(['100', '100']);
	// The key was sent to another recipient.
	expect(output[2]).toEqual({ alreadySent: true, idempotencyKey: 'b' });
	expect(node.hints[0]).toContain('1 of 3 items have the same key as another item');
});
