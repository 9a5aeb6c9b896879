import type { IDataObject } from 'n8n-workflow';
import { accountOf } from '../../api/response';
import { telling, type Call } from '../../api/client';
import { endpoints } from '../../api/endpoints';
import { Failure, failureOr } from '../../api/failure';
import { lists, readPage } from '../../api/lists';
import type { ItemOperation } from '../../operation';

/** One thing that was looked at; `ok` is null where it cannot be known without paying. */
interface Check extends IDataObject {
	check: string;
	ok: boolean | null;
	message: string;
	advice: string;
}

/** What the service answered, or why it did not. */
type Answer<T> = T | Failure;

/** Everything that the checks are made of. */
export interface Findings {
	account: Answer<IDataObject>;
	messages: Answer<unknown>;
	calls: Answer<unknown>;
	numbers: Answer<IDataObject[]>;
	webhooks: Answer<IDataObject[]>;
	/** Milliseconds that n8n's clock is ahead of the service's; undefined if that did not tell it. */
	ahead?: number;
	/** Beginning of n8n's webhook URLs, with a slash at its end. */
	webhookBase: string;
}

/** Free requests that show what a key may do, and what n8n itself knows (docs/contract.md, section 3). */
export const checkSetup: ItemOperation = {
	kind: 'item',
	value: 'checkSetup',
	name: 'Check Setup',
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

async function find(call: Call, webhookBase: string): Promise<Findings> {
	let ahead: number | undefined;
	const asking = telling(call, (now) => (ahead = Date.now() - now));
	const account = await failureOr(
		asking({ endpoint: endpoints.getBalance }, { fresh: true }).then(accountOf),
	);
	// Where the key is refused nothing else is looked at.
	const [messages, calls, numbers, webhooks] = await Promise.all(
		[lists.messages, lists.calls, lists.numbers, lists.webhooks].map(async (list) => {
			if (!isKeyGood(account)) return account;
			const page = await failureOr(readPage(call, list, undefined, { size: 1 }));
			return page instanceof Failure ? page : page.records;
		}),
	);
	return { account, messages, calls, numbers, webhooks, ahead, webhookBase } as Findings;
}

/** The service knows the key, whatever it lets it do. */
const isKeyGood = (account: Answer<unknown>): boolean =>
	!(account instanceof Failure) || account.statusCode === 403;

/** One check for each thing that was found out. */
export function checksOf(findings: Findings): Check[] {
	const { account, messages, calls, numbers, webhooks, ahead, webhookBase } = findings;
	const key = isKeyGood(account);
	const checked = <T>(check: string, answer: Answer<T>, judge: (value: T) => Check[]): Check[] => {
		if (!key) return [unknown(check, 'Not looked at, because the key has to work first')];
		return answer instanceof Failure ? [refused(check, answer)] : judge(answer);
	};
	const scope = (name: string, answer: Answer<unknown>) =>
		checked(`scope ${name}`, answer, () => [
			good(`scope ${name}`, 'The service answers what this scope is for'),
		]);
	return [
		key ? good('key', 'The service knows the key') : refused('key', account as Failure),
		clockCheck(ahead),
		...scope('balance:read', account),
		...scope('chat:campaigns', messages),
		...scope('chat:send', webhooks),
		...scope('voice:calls', calls),
		...['chat:bulk-send', 'chat:send-template', 'email:send'].map((name) =>
			unknown(
				`scope ${name}`,
				'Not testable without paying',
				'Look at the permissions of the key on the dashboard, under Settings > API Keys.',
			),
		),
		...checked('defaultNumber', numbers, (all) => [numberCheck(all)]),
		webhookUrlCheck(webhookBase),
		...checked('registrations', webhooks, (all) => registrationChecks(all, webhookBase)),
	];
}

/** What the service says somewhere, if it is text. */
const textOf = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const verdict =
	(ok: boolean | null) =>
	(check: string, message: string, advice = ''): Check => ({ check, ok, message, advice });

const good = verdict(true);
const bad = verdict(false);
const unknown = verdict(null);

/** What the service refuses is not set up; where it is not reached, busy or broken nothing is known. */
const refused = (check: string, { message, description, statusCode }: Failure): Check => {
	const isKnown = statusCode !== null && statusCode !== 429 && statusCode < 500;
	return (isKnown ? bad : unknown)(check, message, description);
};

/** Milliseconds that clocks may differ: the service tells whole seconds, and a response takes time. */
const clockTolerance = 60_000;

function clockCheck(ahead: number | undefined): Check {
	if (ahead === undefined) return unknown('clock', 'The service did not tell its time');
	const seconds = Math.round(Math.abs(ahead) / 1_000);
	const message = `n8n's clock is ${seconds} seconds ${ahead < 0 ? 'behind' : 'ahead of'} the service's`;
	const advice =
		'Let the machine that n8n runs on set its clock by NTP: Max Age (Seconds) of the trigger and times in filters go wrong otherwise.';
	return Math.abs(ahead) <= clockTolerance ? good('clock', message) : bad('clock', message, advice);
}

/** The default number; of its ratings only GREEN is documented (docs/service.md, section 2.2). */
function numberCheck(numbers: IDataObject[]): Check {
	const number = numbers.find(({ isDefault }) => isDefault === true);
	const check = 'defaultNumber';
	if (!number) {
		return bad(
			check,
			numbers.length === 0 ? 'No number is connected' : 'None of the numbers is the default',
			'Connect a number and make it the default on the dashboard, or choose a number in every node that sends.',
		);
	}
	const name = textOf(number.phoneNumber ?? number.id);
	const rating = textOf(number.qualityRating);
	if (rating === '') return unknown(check, `The service tells no quality of ${name}`);
	const message = `${name} has the quality ${rating}`;
	const advice =
		'Look at the number on the dashboard: the chat provider lets a number with low quality send less. Send only to those who expect it.';
	return rating.toUpperCase() === 'GREEN' ? good(check, message) : bad(check, message, advice);
}

export const publicUrlAdvice =
	'Set the environment variable WEBHOOK_URL of n8n to its public https:// address and restart n8n.';

// Names that the internet does not know; loopback, private and link-local addresses.
const inside =
	/^([^.[]+|.+\.(localhost|local|internal|lan|home\.arpa|test)|(0|10|127)\.[\d.]+|169\.254\.[\d.]+|192\.168\.[\d.]+|172\.(1[6-9]|2\d|3[01])\.[\d.]+|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.[\d.]+|\[(::1?|f[cd][^\]]*|fe[89ab][^\]]*)\])$/;

function webhookUrlCheck(webhookBase: string): Check {
	const check = 'webhookUrl';
	const { protocol, hostname } = new URL(webhookBase);
	const advice = `${publicUrlAdvice} Without one, use the Messaging Service Polling Trigger.`;
	if (protocol !== 'https:') {
		const message = `The service delivers to HTTPS URLs only, but n8n's begin with ${webhookBase}`;
		return bad(check, message, advice);
	}
	if (inside.test(hostname.replace(/\.$/, ''))) {
		return bad(check, `${webhookBase} cannot be reached from the internet`, advice);
	}
	return good(
		check,
		`n8n's webhook URLs begin with ${webhookBase}`,
		'Whether the internet reaches it only an event shows: the firewall or proxy before n8n has to let POST requests pass.',
	);
}

const publishAgain = 'unpublish it, then publish it: publishing alone changes nothing';

/** Whether the trigger URLs of this n8n are registered (docs/service.md, section 4.11). */
function registrationChecks(webhooks: IDataObject[], webhookBase: string): Check[] {
	const checks = webhooks.map((webhook) => registrationCheck(webhook, webhookBase));
	const count = checks.filter(({ ok }) => ok === true).length;
	const message = `${count} of ${webhooks.length} registrations lead to published triggers of this n8n`;
	const check = 'registrations';
	const deaf = `${message}: no Messaging Service Trigger of it hears anything`;
	return [
		count > 0
			? good(
					check,
					message,
					`Each published Messaging Service Trigger has one, with its Production URL. If that of a workflow is not among them, ${publishAgain}.`,
				)
			: bad(
					check,
					deaf,
					`Open each workflow with a Messaging Service Trigger, ${publishAgain}. If you have none, this is as it should be.`,
				),
		...checks,
	];
}

function registrationCheck({ url, isActive }: IDataObject, webhookBase: string): Check {
	const check = 'registration';
	const address = URL.canParse(textOf(url)) ? new URL(textOf(url)).href : textOf(url);
	if (!address.startsWith(webhookBase)) {
		return unknown(
			check,
			`${address} leads elsewhere`,
			`Leave it if something else listens there. If n8n had this address before, open each workflow with a Messaging Service Trigger and ${publishAgain}.`,
		);
	}
	if (isActive === false) {
		return bad(
			check,
			`${address} leads to this n8n, but is not active`,
			`Open the workflow whose trigger has this Production URL, ${publishAgain}.`,
		);
	}
	if (address.slice(webhookBase.length).startsWith('webhook-test/')) {
		return bad(
			check,
			`${address} is the URL of a test`,
			'It is removed when the test ends. If nobody tests the trigger, remove it with Webhook > Delete.',
		);
	}
	return good(check, `${address} leads to this n8n and is active`);
}
