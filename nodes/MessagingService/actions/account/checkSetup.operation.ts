import { sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { accountOf, textOf } from '../../api/response';
import type { Call } from '../../api/client';
import { clockSlack, ServiceClock } from '../../api/clock';
import { endpoints } from '../../api/endpoints';
import { Failure, failureOr, publicUrlAdvice } from '../../api/failure';
import { lists, readPage, type List } from '../../api/lists';
import type { ItemOperation } from '../../operation';
import { isPrivate } from '../../parameters/schemas';

/**
 * The result of one check. `ok` is null if the check has no clear result, or if what is missing may not be
 * needed.
 */
type CheckResult = [ok: boolean | null, message: string, advice?: string];

/** Checks the setup with free requests and with n8n's own data (docs/contract.md, section 3). */
export const checkSetup: ItemOperation = {
	kind: 'item',
	value: 'checkSetup',
	action: 'Check setup of account and triggers',
	description:
		'Check the API key, its scopes, the default number, the webhook URL, the registered webhooks and the clock, with advice for each. This is free.',
	fields: [],
	plan: ({ context }) => {
		const request = { endpoint: endpoints.getBalance };
		// These are the only webhook URLs that a node can read. Settings can rename their endpoints, so only
		// their common beginning is used.
		const [resume = '', form = ''] = ['resumeUrl', 'resumeFormUrl'].map((name) =>
			String(context.evaluateExpression(`{{ $execution.${name} }}`, 0)),
		);
		return {
			request,
			readAll: async (call) => checksOf(await collectFindings(call, sharedBase(resume, form))),
		};
	},
};

/** The common beginning of two addresses, up to a slash. */
export function sharedBase(one: string, other: string): string {
	const difference = [...one].findIndex((letter, index) => letter !== other[index]);
	return one.slice(0, one.lastIndexOf('/', difference - 1) + 1);
}

/** Collects the data of the checks. `webhookBase` is the beginning of n8n's webhook URLs, with a slash at the end. */
async function collectFindings(call: Call, webhookBase: string) {
	const clock = new ServiceClock();
	const account = await failureOr(
		clock.timed(call)({ endpoint: endpoints.getBalance }, { fresh: true }).then(accountOf),
	);
	const readFirst = async (list: List): Promise<IDataObject[] | Failure> => {
		// If the key is rejected, nothing else is read.
		if (account instanceof Failure && !isKeyGood(account)) return account;
		const page = await failureOr(readPage(call, list, undefined, { size: 1 }));
		return page instanceof Failure ? page : page.records;
	};
	const [messages, calls, numbers, webhooks] = await Promise.all(
		[lists.messages, lists.calls, lists.numbers, lists.webhooks].map(readFirst),
	);
	/** Milliseconds by which n8n's clock is ahead of the service's; undefined if the service returned no time. */
	const ahead = clock.ahead === undefined ? undefined : -clock.ahead;
	return { account, messages, calls, numbers, webhooks, ahead, webhookBase };
}

export type Findings = Awaited<ReturnType<typeof collectFindings>>;

/** Status 403 also shows that the key is valid: it only lacks the scope for the balance. */
const isKeyGood = (account: unknown): boolean =>
	!(account instanceof Failure) || account.statusCode === 403;

const triggerNode = 'the Messaging Service Trigger';

/** The checks, those that need attention first. */
export function checksOf(findings: Findings) {
	const { account, messages, calls, numbers, webhooks, ahead, webhookBase } = findings;
	const judged = (
		response: unknown,
		use: string,
		judge: (records: IDataObject[]) => CheckResult = () => [
			true,
			'The service returned data that needs this scope',
		],
	): CheckResult => {
		if (!isKeyGood(account)) return [null, 'Not checked, because the check of the API key failed'];
		return response instanceof Failure
			? resultOfFailure(response, use)
			: judge(response as IDataObject[]);
	};
	// docs/service.md, section 5.5.
	const needsNoScope = (path: string): CheckResult => [
		null,
		`Not checked: the documentation says that ${path} accepts any valid key`,
	];
	const paidOnly = (use: string): CheckResult => [
		null,
		'Not checked, because only a paid request would show it',
		`Only needed for ${use}. The dashboard shows the permissions of the key under Settings > API Keys.`,
	];
	const hooks = Array.isArray(webhooks) ? webhooks : [];
	const checks: Array<[check: string, CheckResult]> = [
		['key', isKeyGood(account) ? [true, 'The key is valid'] : resultOfFailure(account as Failure)],
		['clock', clockCheck(ahead)],
		['scope balance:read', judged(account, 'balances', () => needsNoScope('/balance'))],
		['scope chat:campaigns', judged(messages, 'message records, their statuses and Get Outcome')],
		['scope chat:send', judged(webhooks, 'Send Media and the Messaging Service Trigger')],
		['scope voice:calls', judged(calls, 'voice calls')],
		['scope chat:bulk-send', paidOnly('Bulk Campaign > Create')],
		['scope chat:send-template', paidOnly('Send Template')],
		['scope email:send', needsNoScope('/email/send')],
		['defaultNumber', judged(numbers, 'the list of numbers', numberCheck)],
		['webhookUrl', webhookUrlCheck(webhookBase)],
		['registrations', judged(webhooks, triggerNode, (all) => registrationsCheck(all, webhookBase))],
		...hooks.map((one): [string, CheckResult] => [
			'registration',
			registrationCheck(one, webhookBase),
		]),
	];
	const sorted = sortBy(checks, ([, [ok]]) => [false, null, true].indexOf(ok));
	return sorted.map(([check, [ok, message, advice = '']]) => ({ check, ok, message, advice }));
}

/**
 * The result of a check whose request failed. A rejected request shows a problem, but a missing scope may not
 * be needed. If the service could not be reached or was busy, the check has no clear result.
 */
function resultOfFailure({ message, description, statusCode }: Failure, use = ''): CheckResult {
	if (statusCode === 403) return [null, message, `Only needed for ${use}. ${description}`];
	const isProblem = statusCode !== null && statusCode !== 429 && statusCode < 500;
	return [isProblem ? false : null, message, description];
}

function clockCheck(ahead: number | undefined): CheckResult {
	if (ahead === undefined) {
		const advice = `Statuses and retries are only right if its clock differs from n8n's by at most ${clockSlack / 1_000} seconds.`;
		return [null, 'The service did not return its time', advice];
	}
	const seconds = Math.round(Math.abs(ahead) / 1_000);
	const message = `n8n's clock is ${seconds} ${seconds === 1 ? 'second' : 'seconds'} ${ahead < 0 ? 'behind' : 'ahead of'} the service's`;
	// The service returns whole seconds, and a response takes time.
	if (Math.abs(ahead) <= clockSlack) return [true, message];
	const advice =
		"Use NTP to synchronize the clock of the machine that n8n runs on. Otherwise, Max Age (Seconds) of the trigger and times from n8n in filters are wrong. Statuses, waits and retries use the service's clock.";
	return [false, message, advice];
}

/** Of the ratings only GREEN is documented (docs/service.md, section 2.2). */
function numberCheck(numbers: IDataObject[]): CheckResult {
	const number = numbers.find(({ isDefault }) => isDefault === true);
	if (!number) {
		const advice =
			'Connect a number and make it the default, or choose a number in every node that sends.';
		const isNone = numbers.length === 0;
		return [
			false,
			isNone ? 'No number is connected' : 'None of the numbers is the default',
			advice,
		];
	}
	const name = textOf(number.phoneNumber ?? number.id);
	const rating = textOf(number.qualityRating);
	if (rating === '') return [null, `The service returned no quality rating for ${name}`];
	const message = `${name} has the quality rating ${rating}`;
	if (rating.toUpperCase() === 'GREEN') return [true, message];
	return [
		null,
		message,
		"Only GREEN is documented. Ask the service's support what this rating means.",
	];
}

/** The address without parts that may contain passwords and tokens. */
function publicPart(address: string): string {
	if (!/^https?:/i.test(address) || !URL.canParse(address)) return '';
	const { origin, pathname } = new URL(address);
	return `${origin}${pathname}`;
}

function webhookUrlCheck(webhookBase: string): CheckResult {
	const base = publicPart(webhookBase);
	const advice = `Only needed for ${triggerNode}, the Dashboard Trigger and Send and Wait. ${publicUrlAdvice} Without a public address, the Messaging Service Polling Trigger can replace only the first of them.`;
	if (base === '') return [false, "n8n's webhook URL does not begin with https://", advice];
	const found = `n8n's webhook URLs begin with ${base}`;
	if (!base.startsWith('https:')) return [null, `${found}; the service needs HTTPS`, advice];
	if (isPrivate(base)) return [null, `${found}, which the internet cannot reach`, advice];
	if (new URL(base).pathname !== '/') {
		const pathAdvice =
			'Links of Send and Wait return status 401 if their address has such a path. Set N8N_WEBHOOK_URL to an address without a path.';
		return [null, `${found}, which has a path`, pathAdvice];
	}
	const openAdvice =
		'Check that firewalls and proxies in front of n8n let POST requests pass. Only an event shows whether the service can reach n8n.';
	return [true, found, openAdvice];
}

const publishAgain = 'unpublish it, then publish it again: publishing alone changes nothing';

/**
 * n8n's endpoint in a registration's URL, by default `webhook` or `webhook-test`; undefined if the URL does
 * not lead to this n8n (docs/service.md, section 4.11).
 */
function endpointOf({ url }: IDataObject, webhookBase: string): string | undefined {
	const [address, base] = [publicPart(textOf(url)), publicPart(webhookBase)];
	const isHere = base !== '' && address.startsWith(base);
	return isHere ? address.slice(base.length).split('/')[0] : undefined;
}

const testEndpoint = 'webhook-test';

/** Counts the active registrations with a production URL of this n8n. */
function registrationsCheck(webhooks: IDataObject[], webhookBase: string): CheckResult {
	const { length } = webhooks.filter(
		(one) =>
			one.isActive !== false && ![undefined, testEndpoint].includes(endpointOf(one, webhookBase)),
	);
	return [
		length > 0 || null,
		webhooks.length === 0
			? 'No webhook is registered'
			: `${length} of ${webhooks.length} registered webhooks are active and have a production URL of this n8n`,
		`Only needed for ${triggerNode}: each published workflow with this node has a registered webhook. If the Production URL of a workflow is not among them, ${publishAgain}.`,
	];
}

/** Whether a registration leads to a trigger of this n8n, and is active. */
function registrationCheck(webhook: IDataObject, webhookBase: string): CheckResult {
	const address = publicPart(textOf(webhook.url)) || 'A webhook without a URL';
	const endpoint = endpointOf(webhook, webhookBase);
	if (endpoint === undefined) {
		const advice = `Keep it if another system uses it, such as another n8n with this key. If this n8n had the address before, open each workflow with a Messaging Service Trigger and ${publishAgain}. Then remove it with Webhook > Delete.`;
		return [null, `${address} does not lead to this n8n`, advice];
	}
	if (webhook.isActive === false) {
		// Whether a deleted registration stays in the list is not documented (docs/service.md, section 10.12).
		const advice = `If a published workflow has this Production URL, ${publishAgain}. Otherwise, the registration was deleted, and the service still lists it.`;
		return [null, `${address} leads to this n8n, but is not active`, advice];
	}
	if (endpoint === testEndpoint)
		return [false, `${address} is a test URL`, 'If nobody is testing the trigger, remove it.'];
	const message = `${address} leads to this n8n and is active`;
	// n8n's settings can rename its endpoints.
	const advice = "Compare the address with the trigger's Production URL and Test URL.";
	return endpoint === 'webhook' ? [true, message] : [null, message, advice];
}
