import type { IDataObject } from 'n8n-workflow';
import { accountOf, textOf } from '../../api/response';
import { telling, type Call } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import { Failure, failureOr } from '../../api/failure';
import { lists, readPage, type List } from '../../api/lists';
import type { ItemOperation } from '../../operation';

/** What is found of one thing; `ok` is null where it cannot be known without paying. */
type Verdict = [ok: boolean | null, message: string, advice?: string];

/** Free requests that show what a key may do, and what n8n itself knows (docs/contract.md, section 3). */
export const checkSetup: ItemOperation = {
	kind: 'item',
	value: 'checkSetup',
	action: 'Check the setup of account and triggers',
	description:
		'Check the key, its scopes, the default number, the registrations of triggers, the webhook URL and the clock, with advice for each. Costs nothing.',
	fields: [],
	plan: ({ context }) => {
		const request = { endpoint: endpoints.getBalance };
		// n8n tells a node no other URL of its webhooks: that of waiting ones, one level below.
		const resumeUrl = String(context.evaluateExpression('{{ $execution.resumeUrl }}', 0));
		const base = new URL('..', resumeUrl).href;
		return { request, readAll: async (call) => checksOf(await find(call, base)) };
	},
};

/** What the checks are made of; `webhookBase`, with a slash at its end, begins the webhook URLs of n8n. */
async function find(call: Call, webhookBase: string) {
	/** Milliseconds that n8n's clock is ahead of the service's; undefined if that did not tell it. */
	let ahead: number | undefined;
	const asking = telling(call, (now) => (ahead = Date.now() - now));
	const account = await failureOr(
		asking({ endpoint: endpoints.getBalance }, { fresh: true }).then(accountOf),
	);
	const recordsOf = async (list: List): Promise<IDataObject[] | Failure> => {
		// Where the key is refused nothing else is looked at.
		if (account instanceof Failure && !isKeyGood(account)) return account;
		const page = await failureOr(readPage(call, list, undefined, { size: 1 }));
		return page instanceof Failure ? page : page.records;
	};
	const [messages, calls, numbers, webhooks] = await Promise.all([
		recordsOf(lists.messages),
		recordsOf(lists.calls),
		recordsOf(lists.numbers),
		recordsOf(lists.webhooks),
	]);
	return { account, messages, calls, numbers, webhooks, ahead, webhookBase };
}

export type Findings = Awaited<ReturnType<typeof find>>;

/** The service knows the key, whatever it lets it do. */
const isKeyGood = (account: unknown): boolean =>
	!(account instanceof Failure) || account.statusCode === 403;

/** One check for each thing that was found out. */
export function checksOf(findings: Findings) {
	const { account, messages, calls, numbers, webhooks, ahead, webhookBase } = findings;
	const judged = <T>(answer: T | Failure, judge: (value: T) => Verdict): Verdict => {
		if (!isKeyGood(account)) return [null, 'Not looked at, because the key has to work first'];
		return answer instanceof Failure ? refused(answer) : judge(answer);
	};
	const scope = (answer: unknown) =>
		judged(answer, () => [true, 'The service answers what this scope is for']);
	const untestable: Verdict = [
		null,
		'Not testable without paying',
		'Look at the permissions of the key on the dashboard, under Settings > API Keys.',
	];
	const own = webhooks instanceof Failure ? [] : webhooks;
	const registrations = own.map((one) => registrationVerdict(one, webhookBase));
	const verdicts: Array<[check: string, Verdict]> = [
		['key', isKeyGood(account) ? [true, 'The service knows the key'] : refused(account as Failure)],
		['clock', clockVerdict(ahead)],
		['scope balance:read', scope(account)],
		['scope chat:campaigns', scope(messages)],
		['scope chat:send', scope(webhooks)],
		['scope voice:calls', scope(calls)],
		['scope chat:bulk-send', untestable],
		['scope chat:send-template', untestable],
		['scope email:send', untestable],
		['defaultNumber', judged(numbers, numberVerdict)],
		['webhookUrl', webhookUrlVerdict(webhookBase)],
		['registrations', judged(webhooks, () => registrationsVerdict(registrations))],
		...registrations.map((verdict): [string, Verdict] => ['registration', verdict]),
	];
	return verdicts.map(([check, [ok, message, advice = '']]) => ({ check, ok, message, advice }));
}

/** What the service refuses is not set up; where it is not reached, busy or broken nothing is known. */
function refused({ message, description, statusCode }: Failure): Verdict {
	const isKnown = statusCode !== null && statusCode !== 429 && statusCode < 500;
	return [isKnown ? false : null, message, description];
}

function clockVerdict(ahead: number | undefined): Verdict {
	if (ahead === undefined) return [null, 'The service did not tell its time'];
	const seconds = Math.round(Math.abs(ahead) / 1_000);
	const message = `n8n's clock is ${seconds} seconds ${ahead < 0 ? 'behind' : 'ahead of'} the service's`;
	// The service tells whole seconds, and a response takes time.
	if (Math.abs(ahead) <= 60_000) return [true, message];
	const advice =
		'Let the machine that n8n runs on set its clock by NTP: Max Age (Seconds) of the trigger and times in filters go wrong otherwise.';
	return [false, message, advice];
}

/** Of the ratings only GREEN is documented (docs/service.md, section 2.2). */
function numberVerdict(numbers: IDataObject[]): Verdict {
	const number = numbers.find(({ isDefault }) => isDefault === true);
	if (!number) {
		return [
			false,
			numbers.length === 0 ? 'No number is connected' : 'None of the numbers is the default',
			'Connect a number and make it the default on the dashboard, or choose a number in every node that sends.',
		];
	}
	const name = textOf(number.phoneNumber ?? number.id);
	const rating = textOf(number.qualityRating);
	if (rating === '') return [null, `The service tells no quality of ${name}`];
	const message = `${name} has the quality ${rating}`;
	if (rating.toUpperCase() === 'GREEN') return [true, message];
	const advice =
		'Look at the number on the dashboard: the chat provider lets a number with low quality send less. Send only to those who expect it.';
	return [false, message, advice];
}

export const publicUrlAdvice =
	'Set the environment variable WEBHOOK_URL of n8n to its public https:// address and restart n8n.';

// Names that the internet does not know; loopback, private and link-local addresses.
const inside =
	/^([^.[]+|.+\.(localhost|local|internal|lan|home\.arpa|test)|(0|10|127)\.[\d.]+|169\.254\.[\d.]+|192\.168\.[\d.]+|172\.(1[6-9]|2\d|3[01])\.[\d.]+|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.[\d.]+|\[(::1?|f[cd][^\]]*|fe[89ab][^\]]*)\])$/;

function webhookUrlVerdict(webhookBase: string): Verdict {
	const { protocol, hostname } = new URL(webhookBase);
	const advice = `${publicUrlAdvice} Without one, use the Messaging Service Polling Trigger.`;
	if (protocol !== 'https:') {
		const message = `The service delivers to HTTPS URLs only, but n8n's begin with ${webhookBase}`;
		return [false, message, advice];
	}
	if (inside.test(hostname.replace(/\.$/, ''))) {
		return [false, `${webhookBase} cannot be reached from the internet`, advice];
	}
	return [
		true,
		`n8n's webhook URLs begin with ${webhookBase}`,
		'Whether the internet reaches it only an event shows: the firewall or proxy before n8n has to let POST requests pass.',
	];
}

const publishAgain = 'unpublish it, then publish it: publishing alone changes nothing';

/** Whether triggers of this n8n are registered at all. */
function registrationsVerdict(registrations: Verdict[]): Verdict {
	const count = registrations.filter(([ok]) => ok).length;
	return [
		count > 0,
		`${count} of ${registrations.length} registrations lead to webhook URLs of this n8n`,
		`Each published Messaging Service Trigger has one, with its Production URL. If that of a workflow is not among them, ${publishAgain}.`,
	];
}

/** Whether a registration is that of a trigger URL of this n8n (docs/service.md, section 4.11). */
function registrationVerdict({ url, isActive }: IDataObject, webhookBase: string): Verdict {
	const address = URL.canParse(textOf(url)) ? new URL(textOf(url)).href : textOf(url);
	if (!address.startsWith(webhookBase)) {
		const advice = `Leave it if something else listens there. If n8n had this address before, open each workflow with a Messaging Service Trigger and ${publishAgain}.`;
		return [null, `${address} leads elsewhere`, advice];
	}
	if (isActive === false) {
		const advice = `Open the workflow whose trigger has this Production URL, ${publishAgain}.`;
		return [false, `${address} leads to this n8n, but is not active`, advice];
	}
	if (address.slice(webhookBase.length).startsWith('webhook-test/')) {
		const advice =
			'It is removed when the test ends. If nobody tests the trigger, remove it with Webhook > Delete.';
		return [false, `${address} is the URL of a test`, advice];
	}
	return [true, `${address} leads to this n8n and is active`];
}
