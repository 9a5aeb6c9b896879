import fc from 'fast-check';
import { ManualClock, allPairs, assumptionSettings, type AssumptionName } from '../../../sandbox';
import { allEndpoints } from '../../../sandbox/routes';
import { formOf, phone } from './support/probes/probe';
import { useSandbox } from './support/useSandbox';

const all = assumptionSettings();
const namesOf = fc.subarray(all.map(({ name }) => name));

/** Pairs of settings that never meet in the sets of assumptions. */
function missing(names: readonly AssumptionName[]): unknown[] {
	const rows = allPairs(names);
	const choices = all
		.filter(({ name }) => names.includes(name))
		.flatMap(({ name, settings }) => settings.map((setting) => ({ name, setting })));
	return choices.flatMap((one) =>
		choices
			.filter((other) => other.name !== one.name || other.setting === one.setting)
			.filter((other) => {
				const meet = rows.some(
					(row) => row[one.name] === one.setting && row[other.name] === other.setting,
				);
				return !meet;
			})
			.map((other) => [one, other]),
	);
}

test('any two settings of any two assumptions meet', () => {
	fc.assert(
		fc.property(namesOf, (names) => {
			expect(missing(names)).toEqual([]);
		}),
		{ numRuns: 20, examples: [[[]], [['listOrder']], [all.map(({ name }) => name)]] },
	);
});

test('the sets are few, the same every time, and start with the defaults', () => {
	const rows = allPairs();
	const defaults = Object.fromEntries(all.map(({ name, settings }) => [name, settings[0]]));
	expect(rows[0]).toEqual(defaults);
	expect(rows.length).toBeLessThan(all.length);
	expect(allPairs()).toEqual(rows);
});

const fixture = useSandbox(() => ({ clock: new ManualClock() }));

const bodies: Record<string, () => unknown> = {
	'/chat/send': () => ({ phone, message: 'Hello' }),
	'/chat/send-template': () => formOf({ phone, templateName: 'order_update' }),
	'/chat/send-media': () => ({ phone, type: 'image', mediaUrl: 'https://files.example/a.png' }),
	'/chat/upload': () => formOf({}, { name: 'a.png', bytes: 1 }),
	'/chat/bulk-send': () => ({ templateName: 'seasonal_offer', recipients: [{ phone }] }),
	'/chat/webhooks': () => ({ url: 'https://127.0.0.1:1/x' }),
	'/voice/call': () => ({ to: '+919812345678', audioName: 'Hello' }),
	'/email/send': () => ({ to: 'ann@mail.example', subject: 'Hello', text: 'Hello' }),
};

/** What a request without a query gets; nothing has the name of a path parameter as its id. */
function statusOf(method: string, path: string): number {
	if (path.includes(':')) return 404;
	if (method === 'DELETE') return 400;
	return method === 'POST' && path === '/chat/webhooks' ? 201 : 200;
}

test.each(allPairs().map((assumptions, index) => ({ index, assumptions })))(
	'every endpoint works under set $index',
	async ({ assumptions }) => {
		await fixture.control.setAssumptions(assumptions);
		for (const { method, path } of allEndpoints) {
			const data = method === 'POST' ? bodies[path]?.() : undefined;
			const { status } = await fixture.api.request({ method, url: path, data });
			expect({ path, status }).toEqual({ path, status: statusOf(method, path) });
			const failed = await fixture.api.request({ method, url: `${path}/%zz` });
			expect(failed.data).toEqual({ error: expect.any(String) });
		}
		for (let step = 0; step < 3; step++) {
			await fixture.control.advance(1_000);
			await fixture.control.settle();
		}
		const wanted = assumptions.chatSendRecords === 'none' ? 3 : 4;
		const messages = await fixture.control.messages();
		expect(messages.map(({ status }) => status)).toEqual(Array(wanted).fill('Read'));
		expect(await fixture.control.calls()).toMatchObject([{ callStatus: 'success' }]);
		expect(await fixture.control.emails()).toMatchObject([{ to: ['ann@mail.example'] }]);
	},
);
