import fc from 'fast-check';
import {
	checksOf,
	sharedBase,
	type Findings,
} from '../../../nodes/MessagingService/actions/account/checkSetup.operation';
import { Failure } from '../../../nodes/MessagingService/api/failure';

const webhookBase = 'https://n8n.example.com/';
const url = `${webhookBase}webhook/1/webhook`;

const findings: Findings = {
	account: { chatBalance: 1 },
	messages: [],
	calls: [],
	numbers: [{ phoneNumber: '14155550100', qualityRating: 'GREEN', isDefault: true }],
	webhooks: [{ url, isActive: true }],
	ahead: 0,
	webhookBase,
};

/** The checks of a name. */
const of = (name: string, changed: Partial<Findings>) =>
	checksOf({ ...findings, ...changed }).filter(({ check }) => check === name);

const rejection = (statusCode: number | null) =>
	new Failure('Rejected', { outcome: 'rejected', statusCode, description: 'Do this.' });

const scopes = ['balance:read', 'chat:bulk-send', 'chat:send-template', 'email:send'];

test('problems come first, then what is not checked', () => {
	const checks = checksOf(findings);
	const unchecked = checks.filter(({ ok }) => ok !== true);
	expect(unchecked).toMatchObject(scopes.map((scope) => ({ check: `scope ${scope}`, ok: null })));
	const bad = checksOf({ ...findings, ahead: -61_000, calls: rejection(403) });
	const order = bad.map(({ ok }) => [false, null, true].indexOf(ok));
	expect(order).toEqual([...order].sort());
	expect(bad[0]?.check).toBe('clock');
});

test.each([
	[401, false],
	[500, null],
	[null, null],
])('with a key that gets the status %s, nothing else is determined', (status, ok) => {
	const failure = rejection(status);
	const failed = { account: failure, messages: failure, calls: failure, numbers: failure };
	const checks = checksOf({ ...findings, ...failed, webhooks: failure });
	expect(checks).toContainEqual({ check: 'key', ok, message: 'Rejected', advice: 'Do this.' });
	const known = checks.filter(({ ok }) => ok !== null).map(({ check }) => check);
	expect(known.filter((check) => check !== 'key')).toEqual(['clock', 'webhookUrl']);
});

const rejected = rejection(403);
const numberOf = (...ratings: Array<[isDefault: boolean, qualityRating?: string]>) => ({
	numbers: ratings.map(([isDefault, qualityRating]) => ({ isDefault, qualityRating })),
});
const registered = (own: string, isActive?: boolean) => ({ webhooks: [{ url: own, isActive }] });

const secretUrl = 'https://user:pw@elsewhere.example/hook?token=t#f';

test.each<[check: string, changed: Partial<Findings>, ok: boolean | null, text?: string]>([
	['key', { account: rejected }, true],
	['scope chat:campaigns', { messages: rejected }, null],
	['defaultNumber', { numbers: rejected }, null],
	['defaultNumber', { numbers: [] }, false],
	['defaultNumber', numberOf([true, 'YELLOW']), null],
	['defaultNumber', numberOf([false, 'RED'], [true, 'GREEN']), true],
	['registration', registered(url, true), true],
	['registration', registered(url, false), null],
	['registration', registered(url.replace('n8n.example.com', 'N8N.example.com:443')), true],
	['registration', registered(url.replace('https', 'http')), null],
	['registration', registered('https://n8n.example.com.evil.example/webhook/1'), null],
	['registration', registered(url.replace('webhook', 'webhook-test')), false],
	['registration', registered(url.replace('webhook', 'hooks/in')), null],
	['registration', { webhooks: [{ url: 7 }] }, null],
	// Only origin and path are shown.
	['registration', registered(secretUrl), null, 'https://elsewhere.example/hook does not lead'],
	['clock', { ahead: undefined }, null, 'did not return'],
	['clock', { ahead: 59_000 }, true, '59 seconds ahead of'],
	['clock', { ahead: -61_000 }, false, '61 seconds behind'],
])('the check of %s with %j is %s', (check, changed, ok, text = '') => {
	const message = expect.stringContaining(text) as string;
	expect(of(check, changed)).toEqual([expect.objectContaining({ ok, message })]);
});

test('the address of n8n is what its addresses share', () => {
	const base = 'https://n8n.example/p/';
	expect(sharedBase(`${base}a/b/12?token=x`, `${base}a-form/12`)).toBe(base);
});

test.each<[string, boolean | null]>([
	['https://n8n.example.com/', true],
	['http://n8n.example.com/', null],
	['https://localhost:5678/', null],
	['https://10.1.2.3/', null],
	['https://[::1]/', null],
	['https://n8n.example.com/n8n/', null],
	['n8n.example.com/', false],
])('webhook URLs that begin with %s: %s', (base, ok) => {
	const [check] = of('webhookUrl', { webhookBase: base });
	expect(check?.ok).toBe(ok);
	expect(check?.message).toContain(ok === false ? 'does not begin with https://' : base);
	if (!ok) expect(check?.advice).toContain('N8N_WEBHOOK_URL');
});

test('whatever the service responds, every check has a message, and advice if it failed', () => {
	const fields = fc.record(
		{ url: fc.anything(), isActive: fc.anything(), qualityRating: fc.anything() },
		{ requiredKeys: [] },
	);
	const records = fc.array(fc.oneof(fields, fc.dictionary(fc.string(), fc.jsonValue())));
	const response = fc.oneof(records, fc.constantFrom(rejection(403), rejection(500)));
	const odd = fc.record({
		messages: response,
		calls: response,
		numbers: response,
		webhooks: response,
	});
	fc.assert(
		fc.property(odd, fc.integer(), (responses, ahead) => {
			for (const one of checksOf({ ...findings, ...(responses as Partial<Findings>), ahead })) {
				expect(one.message).not.toBe('');
				if (one.ok === false) expect(one.advice).not.toBe('');
			}
		}),
	);
});
