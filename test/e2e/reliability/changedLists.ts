import type { INode, INodeParameters } from 'n8n-workflow';
import { code, messagingService } from '../../../harness';
import {
	expectRecovered,
	retryCrashed,
	settings,
	type CrashRow,
} from '../../support/reliability/crashing';
import type { Counts } from '../../support/reliability/ledger';
import type { Outcome } from '../../support/reliability/rows';
import { sender } from '../../support/reliability/stage';

const items = 60;
const underWay = 20;

/** A list that is made anew whenever its node runs, by an expression that gives its rows. */
const listNode = (recipients: string[], row = '{ phone, order }'): INode =>
	code(
		`return ${JSON.stringify(recipients)}.map((phone) => {
			const order = 'order of ' + phone;
			return { json: ${row} };
		});`,
		'Recipients',
	);

const stamped = '{ phone, order, fetchedAt: new Date().toISOString() }';

/** What has become of the list when n8n runs the nodes before the one that sends again. */
interface Change {
	what: string;
	/** The fields of each row. */
	row?: string;
	/** Whom the list of the retry holds. */
	then?(recipients: string[]): string[];
}

/** Ten numbers that no list has had before. */
const added = (recipients: string[]): string[] =>
	recipients.slice(0, 10).map((phone) => `1${phone}`);

const time: Change = { what: 'a time in every item', row: stamped };
const front: Change = {
	what: 'ten rows more in front',
	then: (recipients) => [...added(recipients), ...recipients],
};
const reversed: Change = {
	what: 'the other way round',
	then: (recipients) => recipients.toReversed(),
};
const gone: Change = {
	what: 'the first ten gone',
	then: (recipients) => recipients.slice(10),
};

/** What sends to each item, in the field's own parameters. */
const sends: Record<string, INodeParameters> = {
	'template messages': {
		resource: 'chatMessage',
		operation: 'sendTemplate',
		phone: '={{ $json.phone }}',
		templateName: 'order_update',
	},
	'chat messages': {
		resource: 'chatMessage',
		operation: 'send',
		phone: '={{ $json.phone }}',
		message: 'Hello',
	},
	'media messages': {
		resource: 'chatMessage',
		operation: 'sendMedia',
		phone: '={{ $json.phone }}',
		mediaType: 'image',
		mediaUrl: 'https://host.example/image.png',
	},
	'voice calls': {
		resource: 'voiceCall',
		operation: 'create',
		to: '={{ $json.phone }}',
		text: 'Hello',
	},
	emails: {
		resource: 'email',
		operation: 'send',
		to: '={{ $json.phone }}@example.com',
		subject: 'Hello',
		html: '<p>Hello</p>',
	},
};

const namesOf = (name: string, recipients: string[]): string[] =>
	name === 'emails' ? recipients.map((phone) => `${phone}@example.com`) : recipients;

interface Edit {
	first?: INodeParameters;
	then?: INodeParameters;
}

const inTime: INodeParameters = {
	parametersUi: { parameter: [{ value: '={{ $json.fetchedAt }}' }] },
};
const keyed = (key: string): INodeParameters => ({ options: { idempotencyKey: key } });

/** @param edit further parameters of the node at first, and at the retry */
function rowOf(
	name: string,
	{ what, row, then = (all) => all }: Change,
	{ first = {}, then: edited = first }: Edit = {},
	expected: (counts: Counts) => void = expectRecovered,
): CrashRow {
	return {
		what: `${items} ${name}, kill -9 of n8n after ${underWay}, then Retry: ${what}`,
		items,
		runs: (recipients) => [namesOf(name, then(recipients))],
		async *play({ recipients, ...play }) {
			const { stage } = play;
			const node = (own: INodeParameters) =>
				messagingService(
					{
						...sends[name],
						...own,
						options: { ...settings.options, ...(own.options as INodeParameters | undefined) },
					},
					stage.account.own,
					{ name: sender, ...settings.extra },
				);
			const { id, start } = await stage.production([listNode(recipients, row), node(first)]);
			const reached = stage.service.hold(namesOf(name, recipients), underWay);
			const executionId = await start();
			await reached();
			yield;
			await stage.replace(id, listNode(then(recipients), row));
			await stage.replace(id, node(edited));
			return await retryCrashed({ recipients, ...play }, executionId, true);
		},
		expected,
		check: expectOnce,
	};
}

/** Nobody is reached twice, whether the last list holds them or not, and the retry has gone on. */
function expectOnce({ arrivals }: Outcome): void {
	expect(new Set(arrivals.map(({ recipient }) => recipient)).size).toBe(arrivals.length);
	expect(arrivals.length).toBeGreaterThan(items - 2 * underWay);
}

const byWhomAlone: Change = { ...time, what: 'a time in every item and in the request' };

/** n8n is killed while it sends, and the list is another one when its Retry is pressed. */
export const changedLists: CrashRow[] = [
	...[{ what: 'the same list' }, time, front, reversed, gone].map((change) =>
		rowOf('template messages', change),
	),
	// Nothing tells of a message but its recipient: whoever may have been reached is told as unknown.
	rowOf('template messages', byWhomAlone, { first: inTime }, ({ twice, missing }) =>
		expect({ twice, missing }).toEqual({ twice: 0, missing: 0 }),
	),
	...Object.entries({
		added: { then: keyed('={{ $json.order }}') },
		removed: { first: keyed('={{ $json.order }}'), then: {} },
		changed: { first: keyed('={{ $json.order }}'), then: keyed('={{ $json.phone }}') },
	}).map(([what, edit]) =>
		rowOf('template messages', { what: `the option Send Only Once per Key ${what}` }, edit),
	),
	...['chat messages', 'media messages', 'voice calls', 'emails'].flatMap((name) =>
		[time, front, reversed].map((change) => rowOf(name, change)),
	),
];
