import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { isObject, map, mapValues, pickBy, uniq } from 'lodash';
import { Command, freePort, tempFolder, waitFor } from '../../harness';
import { answersOf } from '../../scripts/probe/answers';
import { readOptions } from '../../scripts/probe/options';
import { probe, type Seen } from '../../scripts/probe/probe';
import { reportOf, settingsOf } from '../../scripts/probe/report';
import { questions, type Assumptions, type FaultInput } from '../../sandbox';
import { scopes, type Scope } from '../../sandbox/documented';
import { useService } from '../support/core/useService';
import { seed } from '../support/fuzz/runs';

const fixture = useService();

const numRuns = Number(process.env.ASSUMPTIONS ?? 10);

const sets = fc.record(
	mapValues(questions, ({ settings }) => fc.constantFrom<string>(...settings)),
) as fc.Arbitrary<Assumptions>;

/** Longer than `soonLooks` looks, so that a late record is not there at once. */
const listedAfterMs = 300;
const lookMs = 100;

const phone = '447700900211';
const message = { phone, templateName: 'order_update' };
const oldUrl = 'https://host.example/events';

/** What an account of some age holds. */
async function fill(text: string): Promise<void> {
	const { control, api } = fixture;
	const time = (hour: number) => `2026-03-10T${String(hour).padStart(2, '0')}:00:00.000Z`;
	// No order of the messages is that of their last changes.
	for (const [hour, changedAt] of [23, 20, 22, 19, 21].entries()) {
		const status = hour % 2 === 0 ? 'Read' : 'Failed';
		await control.addMessages(1, { status, sentAt: time(hour), updatedAt: time(changedAt) });
	}
	await api.post('/chat/send', { phone: '447700900210', message: text });
	for (const hour of [3, 12, 21]) await control.addCalls(1, { createdAt: time(hour) });
	await control.addCalls(1, { callStatus: 'failed', createdAt: time(0) });
	await api.post('/chat/webhooks', { url: oldUrl });
}

/** Asks the sandbox everything. */
async function ask({
	key = fixture.sandbox.keys.production,
	stop,
}: { key?: string; stop?: AbortSignal } = {}) {
	const port = await freePort();
	const listen = { url: `http://127.0.0.1:${port}/events`, port };
	return await probe({ baseUrl: fixture.sandbox.baseUrl, key, message, listen, lookMs, stop });
}

/** Everything that the command prints or writes. */
function shown(seen: Seen): string {
	const answers = answersOf(seen);
	return `${reportOf(answers)}\n${JSON.stringify(settingsOf(answers))}`;
}

/** Fields whose values belong to the account. */
const ownFields =
	`name email phoneNumber phoneNumberId wabaId phone to from content id url secret callId
	providerMessageId campaignName transcript body signature`.split(/\s+/);

/** The account's values in what a service has shown. */
const ownIn = (value: unknown): string[] =>
	isObject(value)
		? Object.entries(value).flatMap(([name, part]) =>
				!isObject(part) && ownFields.includes(name) ? [String(part)] : ownIn(part),
			)
		: [];

/** URLs that are registered. */
const registered = async () =>
	map(
		(await fixture.control.webhooks()).filter(({ isActive }) => isActive),
		'url',
	);

test('under any assumptions, with any key, each answer is the setting, and nothing else is shown', async () => {
	const told: string[] = [];
	const keys = fc.oneof(fc.constant<Scope[]>([...scopes]), fc.subarray<Scope>([...scopes]));
	const texts = fc.string({ unit: 'grapheme' }).map((text) => `Dear ${text}`);
	const holds = async (assumptions: Assumptions, granted: Scope[], text: string) => {
		const { control, sandbox } = fixture;
		await control.reset();
		await control.setAssumptions(assumptions);
		await control.setLifecycle({ listedAfterMs });
		await fill(text);
		const { key } = await control.createKey({ scopes: granted });
		const seen = await ask({ key });
		const settings = settingsOf(answersOf(seen));
		told.push(...Object.keys(settings));
		expect(settings).toEqual(pickBy(assumptions, (_, name) => name in settings));
		const own = [key, sandbox.keys.production, message.templateName, text, ...ownIn(seen)];
		expect(own.filter((one) => one.length > 4 && shown(seen).includes(one))).toEqual([]);
		for (const scope of ['chat:campaigns', 'voice:calls', 'chat:send'] as const)
			if (!granted.includes(scope)) expect(shown(seen)).toContain(`no scope ${scope}`);
		expect(await registered()).toEqual([oldUrl]);
	};
	await fc.assert(fc.asyncProperty(sets, keys, texts, holds), {
		seed,
		numRuns,
		endOnFailure: true,
	});
	// Which are told depends on the sets.
	expect(uniq(told).length).toBeGreaterThan(24);
});

/** Whatever a service could respond, with texts and numbers that can be recognized. */
const bodies = fc.letrec<{ value: unknown; record: object }>((tie) => {
	const names = fc.constantFrom(
		...'user configs messages data webhooks pagination stats total id url status type'.split(' '),
		...'sentAt createdAt updatedAt phone to phoneNumber events callStatus duration'.split(' '),
	);
	const values = fc.constantFrom<unknown>(
		'Zoë',
		'2026 Zoë',
		987654321,
		'+987654321',
		null,
		true,
		'',
		'Read',
	);
	return {
		record: fc.dictionary(names, tie('value'), { maxKeys: 8 }),
		value: fc.oneof(
			{ maxDepth: 5 },
			values,
			tie('record'),
			fc.array(tie('value'), { maxLength: 6 }),
		),
	};
});

test('any response is read, and its texts and numbers are not shown', async () => {
	const holds = async (one: object, record: unknown, status: number) => {
		const other = { user: record, configs: [record], messages: [record], data: [record], ...one };
		await fixture.control.reset();
		const fault = { kind: 'status', count: 'infinite' } as const;
		await fixture.control.addFault({
			...fault,
			path: '/balance',
			status: 200,
			body: other,
		});
		await fixture.control.addFault({ ...fault, path: '/chat/*', status, body: other });
		await fixture.control.addFault({ ...fault, path: '*', status: 200, body: other });
		const { baseUrl, keys } = fixture.sandbox;
		const seen = await probe({ baseUrl, key: keys.production, message, lookMs: 1 });
		expect(shown(seen)).not.toMatch(/Zo|98765/);
	};
	const all = fc.asyncProperty(
		...([bodies.record, bodies.value, fc.constantFrom(200, 200, 201, 400, 500)] as const),
		holds,
	);
	await fc.assert(all, { seed, numRuns: 5 * numRuns });
});

describe('leaves nothing registered', () => {
	const requests = fc.integer({ min: 0, max: 40 });

	test('if a request fails', async () => {
		const faults = fc.constantFrom<Partial<FaultInput>>(
			{ kind: 'cut' },
			{ kind: 'cut', when: 'after' },
			{ kind: 'status', status: 500 },
			{ kind: 'status', status: 500, when: 'after' },
		);
		const holds = async (set: Assumptions, skip: number, fault: Partial<FaultInput>) => {
			await fixture.control.reset();
			await fixture.control.setAssumptions(set);
			await fixture.control.setLifecycle({ listedAfterMs });
			await fill('Hello');
			await fixture.control.addFault({ ...fault, path: '*', skip } as FaultInput);
			const seen = await ask().catch((error: Error) => error);
			if (seen instanceof Error) expect(seen.message).toMatch(/^The service shows nothing/);
			else expect(seen.registrations?.left ?? []).toEqual([]);
			const settings = seen instanceof Error ? {} : settingsOf(answersOf(seen));
			expect(settings).toEqual(pickBy(set, (_, name) => name in settings));
			expect(await registered()).toEqual([oldUrl]);
		};
		await fc.assert(fc.asyncProperty(sets, requests, faults, holds), { seed, numRuns });
	});

	test('if it is stopped', async () => {
		const holds = async (set: Assumptions, skip: number) => {
			await fixture.control.reset();
			await fixture.control.setAssumptions({ ...set, recordDelay: 'late' });
			await fill('Hello');
			await fixture.control.addFault({ kind: 'latency', latencyMs: 200, path: '*', skip });
			const stop = new AbortController();
			const asked = ask({ stop: stop.signal }).catch((error: Error) => error);
			const isHit = async () =>
				map(await fixture.control.journal({ kind: 'request' }), 'fault').includes('latency');
			await Promise.race([waitFor('the request', isHit), asked]);
			stop.abort();
			const seen = await asked;
			expect(seen instanceof Error ? [] : (seen.registrations?.left ?? [])).toEqual([]);
			expect(await registered()).toEqual([oldUrl]);
		};
		await fc.assert(fc.asyncProperty(sets, requests, holds), { seed, numRuns });
	});

	test('or names what is', async () => {
		await fixture.control.addFault({ kind: 'cut', method: 'DELETE', path: '*', count: 'infinite' });
		const { registrations } = await ask();
		expect(registrations?.left).toEqual(map(await fixture.control.webhooks(), 'id'));
	});
});

describe('npm run probe', () => {
	const folder = mkdtempSync(path.join(tempFolder, 'probe-'));
	const out = path.join(folder, 'assumptions.json');
	afterAll(() => rmSync(folder, { recursive: true }));

	const start = (...args: string[]) => {
		const { baseUrl, keys } = fixture.sandbox;
		const env = { MESSAGING_SERVICE_KEY: keys.production };
		const all = ['scripts/probe.mjs', '--base-url', baseUrl, '--out', out, ...args];
		return new Command(all, { env });
	};

	test('writes what the sandbox accepts', async () => {
		await fixture.control.setAssumptions({ balance: 'flat', times: 'shortOffset' });
		const run = start();
		expect([await run.end(), run.stderr]).toEqual([0, '']);
		expect(run.stdout).toMatch(/\| balance +\| 4\.2 +\| flat +\| GET \/balance +\|/);
		const file = JSON.parse(readFileSync(out, 'utf8')) as Assumptions;
		expect(file).toMatchObject({ balance: 'flat', times: 'shortOffset' });
		const sandbox = new Command([
			'--import',
			'tsx',
			'sandbox/main.ts',
			'--port',
			'0',
			'--assume',
			out,
		]);
		await sandbox.says('/__sandbox');
		sandbox.signal('SIGTERM');
		expect([await sandbox.end(), sandbox.stderr]).toEqual([0, '']);
	});

	test('ends at Ctrl+C, after it has deleted its registrations', async () => {
		const path = '/chat/send-template';
		await fixture.control.addFault({ kind: 'latency', latencyMs: 2_000, path });
		const port = String(await freePort());
		const listen = ['--listen', `http://127.0.0.1:${port}/events`, '--port', port];
		const run = start('--send-to', phone, '--template', 'order_update', '--yes', ...listen);
		await waitFor(
			'the message',
			async () => (await fixture.sandbox.control.journal({ path })).length > 0,
		);
		expect(await registered()).toHaveLength(2);
		run.signal('SIGINT');
		run.signal('SIGINT');
		expect([await run.end(), run.stderr]).toEqual([1, '']);
		expect(run.stdout).toMatch(/Nothing stays registered\.\nStopped\.\n$/);
		expect(await registered()).toEqual([]);
	});

	test('pays only with permission', async () => {
		const run = start('--send-to', phone, '--template', 'order_update');
		expect([await run.end(), run.stdout]).toEqual([1, '']);
		expect(run.stderr).toMatch(/^Without a terminal, add --yes/);
		expect(await fixture.control.messages()).toEqual([]);
	});
});

const base = ['--base-url', 'https://host.example/api/v1'];

test.each([
	[[], /^--base-url: is missing$/],
	[['--base-url', 'secret'], /^--base-url: must be a URL$/],
	[[...base, 'secret'], /^Each value needs/],
	[[...base, '--port', 'secret'], /^--port: must be a number$/],
	[[...base, '--send-to', '0secret', '--template', 'a'], /^--send-to: must be a number with its/],
	[[...base, '--send-to', '447700900211'], /^--send-to: needs --template/],
	[[...base, '--template', 'secret'], /^--send-to: needs --template/],
	[[...base, '--key', ' '], /^--key: is missing; or set MESSAGING_SERVICE_KEY$/],
])('an invalid option is named without its value (%#)', (args, line) => {
	const read = () => readOptions(args, { MESSAGING_SERVICE_KEY: 'key' });
	expect(read).toThrow(line);
	expect(read).not.toThrow('secret');
});

test('the key is an option or a variable', () => {
	expect(readOptions(base, { MESSAGING_SERVICE_KEY: 'key' })).toMatchObject({ key: 'key' });
	const args = [...base, '--key', 'other', '--send-to', '+447700900211', '--template', 'a'];
	const options = readOptions(args, { MESSAGING_SERVICE_KEY: 'key' });
	expect(options).toMatchObject({ key: 'other', 'send-to': '447700900211' });
});
