import { set } from 'lodash';
import { HookContext } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { messagingServiceTrigger, packageName } from '../../harness';
import { findOperation } from '../../nodes/MessagingService/actions';
import { readCountryCodes } from '../../nodes/MessagingService/api/credential';
import { tokenIn } from '../../nodes/MessagingService/trigger/dashboard';
import { subscriptionOf } from '../../nodes/MessagingService/trigger/delivery';
import { failureOr, type Execution } from '../support/core/execute';
import { polling } from '../support/core/poll';
import { useSandbox } from '../support/core/useSandbox';
import { additionalDataOf, workflowOf } from '../support/core/workflow';
import { triggers } from '../support/descriptions';
import { fieldRows, type FieldRow } from '../support/docs/fieldList';
import { describedOperations, goodParameters } from '../support/operations';

const sandbox = useSandbox();

/** What an expression may return where a value is expected. */
const returned = {
	undefined: '={{ undefined }}',
	'a missing variable': '={{ $vars.none }}',
	null: '={{ null }}',
	'an empty text': "={{ '' }}",
	'a blank': "={{ ' ' }}",
	'an empty list': '={{ [] }}',
	'an empty object': '={{ ({}) }}',
	NaN: '={{ NaN }}',
	true: '={{ true }}',
};
type Returned = keyof typeof returned;

/** Texts that are shown to recipients: without them, nobody else is reached. */
const contents = [
	'options.messageButtonLabel',
	'options.responseFormButtonLabel',
	'options.responseFormDescription',
	'options.responseFormTitle',
];

/** Whether a value lifts no restriction: a switch that is on, a key like any other, an empty list of opt-outs. */
const isHonest = ({ name, field }: FieldRow, value: Returned): boolean =>
	(value === 'true' &&
		(field.type === 'boolean' ||
			['options.idempotencyKey', 'filters.providerMessageId'].includes(name))) ||
	(value === 'an empty list' && name === 'options.excludedRecipients');

const others: Record<string, unknown> = {
	'options.allowedRecipients': ['+447700900210', '+919876543210', '@host.example'],
	'options.excludedRecipients': '+14155550100',
	'options.idempotencyKey': 'order 7',
	'options.limitWaitTime.values.maxDateAndTime': '2099-01-31T12:00:00Z',
	'filters.providerMessageId': 'wamid.1',
};

/** A value that anybody may enter. */
function honest({ name, field }: FieldRow): unknown {
	const [first] = (field.options ?? []).flatMap((one) =>
		'value' in one && one.value !== '' ? [one.value] : [],
	);
	if (field.type === 'dateTime') return others[name] ?? '2026-01-31T12:00:00Z';
	return others[name] ?? first ?? (field.default === '' ? '447700900210' : field.default);
}

/** Parameters with one more, and with what the editor needs to show it. */
function withRow(good: INodeParameters, { name, field }: FieldRow, value: unknown) {
	const parameters = structuredClone(good);
	const within = name.slice(0, name.lastIndexOf('.') + 1);
	for (const [other, values] of Object.entries(field.displayOptions?.show ?? {})) {
		const shown = other.replace(/^\//, '');
		// The other field is beside this one, or beside the collection that this one is in.
		if (!shown.startsWith('@'))
			set(set(parameters, shown, values?.[0]), `${within}${shown}`, values?.[0]);
	}
	return set(parameters, name, value);
}

/** The options and filters of all operations, of which a new one is among them by itself. */
const rows = describedOperations.flatMap(({ name, choice }) =>
	fieldRows(findOperation(choice.resource, choice.operation)?.fields ?? [])
		.filter((row) => /^(options|filters)\./.test(row.name) && !contents.includes(row.name))
		.map((row) => [`${name} ${row.name}`, { ...choice, ...goodParameters[name] }, row] as const),
);

const items = [
	{
		json: { phone: '447700900210', createdAt: '2026-01-31T12:00:00Z' },
		binary: { data: { data: 'JVBERg==', mimeType: 'application/pdf' } },
	},
];

const ways: Record<string, Partial<Execution>> = {
	'by hand': {},
	published: { mode: 'trigger' },
	'in a tool': { node: { type: `${packageName}.messagingServiceTool` } },
};

/** What a run reports: its first item, or what it throws. */
async function reported(parameters: INodeParameters, way: Partial<Execution>) {
	const ended = await failureOr(sandbox.run(parameters, { items, ...way }));
	return ended instanceof Error ? { error: ended.message } : (ended[0]?.json ?? {});
}

describe.each(Object.entries(ways))(
	'a restriction whose expression returns nothing, %s',
	(_, way) => {
		test.each(rows)('%s', async (_name, good, row) => {
			for (const [value, expression] of Object.entries(returned) as Array<[Returned, string]>) {
				if (isHonest(row, value)) continue;
				const { error } = await reported(withRow(good, row, expression), way);
				expect([value, error]).toEqual([value, expect.stringContaining(row.field.displayName)]);
			}
			expect(await sandbox.requests()).toEqual([]);
		});
	},
);

test.each(rows)('with a value, %s goes out', async (_name, good, row) => {
	const expression = `={{ ${JSON.stringify(honest(row))} }}`;
	const { billable } = findOperation(String(good.resource), String(good.operation)) ?? {};
	const trial = billable ? set(structuredClone(good), 'options.simulate', 'always') : good;
	const { error = '' } = await reported(withRow(trial, row, expression), {});
	expect(error).not.toContain(row.field.displayName);
	// A record with an invented ID is not found.
	if (billable) expect(error).toBe('');
});

/** The parameters of a trigger, as rows of a table. */
const triggerRows = (name: string) =>
	fieldRows(triggers.find((one) => one.name === name)?.properties ?? []).map(
		(row) => [row.name, row] as const,
	);

describe('a trigger whose expression returns nothing is not published', () => {
	test.each(triggerRows('messagingServicePollingTrigger'))('polling: %s', async (_, row) => {
		for (const expression of Object.values(returned)) {
			const publish = polling(sandbox.credential(), withRow({}, row, expression));
			await expect(publish()).rejects.toThrow(row.field.displayName);
		}
		expect(await sandbox.requests()).toEqual([]);
		await polling(sandbox.credential(), withRow({}, row, honest(row)))();
	});

	test.each(triggerRows('messagingServiceTrigger'))('webhook: %s', (_, row) => {
		const isList = Array.isArray(row.field.default);
		const read = (value: unknown) => subscriptionOf(hookContext(withRow({}, row, value)));
		for (const [value, expression] of Object.entries(returned)) {
			// A switch, or a text like any other.
			if (value === 'true' && row.name !== maxAge) continue;
			expect(() => read(expression)).toThrow(row.field.displayName);
			if (isList) expect(() => read([expression])).toThrow(row.field.displayName);
		}
		expect(() => read(honest(row))).not.toThrow();
	});
});

const maxAge = 'options.maxAgeSeconds';

function hookContext(parameters: INodeParameters): HookContext {
	const node = messagingServiceTrigger(parameters, { id: '1', name: 'Sandbox' });
	const workflow = workflowOf(node, { active: true });
	const additionalData = additionalDataOf(node, sandbox.credential());
	return new HookContext(workflow, node, additionalData, 'trigger', 'activate');
}

describe('a credential whose expression returns nothing', () => {
	const nothing = [undefined, null, ' ', ', ', [], [null], {}, NaN, true];

	test.each(describedOperations)('allows no number: $name', async ({ name, choice }) => {
		const parameters = { ...choice, ...goodParameters[name] };
		for (const countryCodes of nothing) {
			const credential = { ...sandbox.credential(), countryCodes };
			expect(await reported(parameters, { credential })).toMatchObject({
				// Without a credential, a question also misses that the sandbox may open n8n's address.
				error: expect.stringMatching(/Allowed Country Codes .* is not a list|the answer links/),
			});
		}
		expect(await sandbox.requests()).toEqual([]);
	});

	test('keeps a trigger from being published', async () => {
		for (const countryCodes of nothing)
			await expect(polling({ ...sandbox.credential(), countryCodes }, {})()).rejects.toThrow(
				'Allowed Country Codes',
			);
	});

	test.each([
		['', []],
		['44', ['44']],
		['+44, 1', ['44', '1']],
		[44, ['44']],
		[
			[44, '+1'],
			['44', '1'],
		],
	])('%j is a list of codes', (entered, codes) => {
		expect(readCountryCodes(entered)).toEqual(codes);
	});

	test.each([...nothing, ''])('lets no dashboard delivery in: %j', (verificationToken) => {
		expect(tokenIn({ verificationToken } as IDataObject)).toBeUndefined();
	});
});
