import { questions, type AssumptionName } from '../../../sandbox';
import { textOf } from '../../support/docs/files';
import { call, phone, template, useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const get = async (url: string) => (await fixture.api.get(url)).data;
const post = async (url: string, body: unknown) => (await fixture.api.post(url, body)).data;
const keysOf = (data: object) => Object.keys(data).join();

/** What order records are in that were added in another. */
function orderOf(records: Array<{ id: string }>, added: string[]): string {
	const ids = records.map(({ id }) => id).join();
	const orders = { added, reversed: [...added].reverse(), sorted: [...added].sort() };
	return Object.entries(orders).find(([, order]) => order.join() === ids)?.[0] ?? 'none';
}

/** A look at the service, and what it shows under each setting, in their order. */
type Probe = readonly [look: () => Promise<unknown>, ...shows: unknown[]];

/** A probe for each assumption, or this does not compile. */
const probes: Record<AssumptionName, Probe> = {
	balance: [
		async () => keysOf(await get('/balance')),
		'success,user',
		'success,voiceMins,chatBalance,emailBalance,leadBalance',
	],
	chatNumbers: [
		async () => {
			await post('/chat/send-template', template);
			const [{ to }] = (await get('/chat/campaigns')).messages;
			return [to, (await get('/chat/configs')).configs[0].phoneNumber];
		},
		[phone, '14155550100'],
		[`+${phone}`, '+14155550100'],
	],
	callLogId: [
		async () => {
			const { callId } = await post('/voice/call', call);
			const [entry] = (await get('/voice/call-logs')).data;
			return [entry.id === callId, entry.callId === callId];
		},
		[true, false],
		[false, false],
		[false, true],
	],
	listOrder: [
		async () => {
			const messages = await fixture.control.addMessages(20);
			const calls = await fixture.control.addCalls(20);
			const logged = (await get('/voice/call-logs?pageSize=20')).data;
			return [orderOf((await get('/chat/campaigns')).messages, messages), orderOf(logged, calls)];
		},
		['reversed', 'reversed'],
		['added', 'added'],
		// A call-log entry is sorted by its own id, which is not shown here.
		['sorted', 'none'],
	],
	callSteps: [
		async () => {
			const soon = { answeredAfterMs: 2, endedAfterMs: 1 };
			await fixture.control.setLifecycle({ enabled: true, ...soon });
			await post('/voice/call', call);
			for (;;) {
				const [{ callStatus, duration }] = (await get('/voice/call-logs')).data;
				if (duration > 0) return callStatus;
			}
		},
		'success',
		'answered',
	],
};
const names = Object.keys(questions) as AssumptionName[];

const cases = names.flatMap((name) =>
	questions[name].settings.map((setting, index) => ({ name, setting, index })),
);

test.each(cases)('$name: $setting', async ({ name, setting, index }) => {
	const [look, ...shows] = probes[name];
	const { section, text, settings } = questions[name];
	expect(shows).toHaveLength(settings.length);
	const written = settings.map((one) => `\`${one}\``).join(', ');
	expect(textOf('sandbox/README.md')).toContain(
		`| \`${name}\` | ${text} | ${written} | ${section} |`,
	);
	await fixture.control.setAssumptions({ [name]: setting });
	expect(await look()).toEqual(shows[index]);
});
