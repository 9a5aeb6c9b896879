import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { MessagingServiceApi } from '../../../credentials/MessagingServiceApi.credentials';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { MessagingServicePollingTrigger } from '../../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';
import { textOf } from '../../support/docs/files';

type Entries = NonNullable<INodeProperties['options']>;

/** A field, a group of fields or a choice, and its place in the description. */
interface Text {
	at: string;
	entry: Entries[number];
}

const labelOf = (entry: Entries[number]): string =>
	'displayName' in entry ? entry.displayName : entry.name;

function walk(entries: Entries, at: string): Text[] {
	return entries.flatMap((entry) => {
		const place = `${at} > ${labelOf(entry)}`;
		const inside =
			'values' in entry ? entry.values : 'options' in entry ? (entry.options ?? []) : [];
		return [{ at: place, entry }, ...walk(inside, place)];
	});
}

// As n8n evaluates them: the linter sees only what is written out.
const texts = [
	new MessagingService().description,
	new MessagingServiceTrigger().description,
	new MessagingServicePollingTrigger().description,
	new MessagingServiceApi(),
].flatMap(({ displayName, properties }) => walk(properties, displayName));

const fields = texts.flatMap(({ at, entry }) => ('type' in entry ? [{ at, field: entry }] : []));

const offending = (all: Array<{ at: string; wrong: boolean }>): string[] =>
	all.filter(({ wrong }) => wrong).map(({ at }) => at);

test('choices, and the fields of a collection, are sorted by name', () => {
	const listed = fields.filter(({ field }) =>
		['options', 'multiOptions', 'collection'].includes(field.type),
	);
	const unsorted = listed.flatMap(({ at, field: { options = [] } }) => {
		const names = options.map(labelOf);
		const sorted = [...names].sort((a, b) => a.localeCompare(b));
		return names.join() === sorted.join() ? [] : [{ at, names }];
	});
	expect(unsorted).toEqual([]);
});

test('all have a label, and fields a type', () => {
	const nameless = texts.map(({ at, entry }) => ({ at, wrong: labelOf(entry) === '' }));
	const typeless = fields.map(({ at, field }) => ({ at, wrong: String(field.type) === '' }));
	expect(offending([...nameless, ...typeless])).toEqual([]);
});

test('hints fit into their line', () => {
	expect(
		offending(fields.map(({ at, field: { hint = '' } }) => ({ at, wrong: hint.length > 120 }))),
	).toEqual([]);
});

test('what is on or off is told with "Whether"', () => {
	const flags = fields.filter(({ field }) => field.type === 'boolean');
	expect(
		offending(
			flags.map(({ at, field }) => ({ at, wrong: !field.description?.startsWith('Whether ') })),
		),
	).toEqual([]);
});

test('names have no articles, and no text speaks of errors', () => {
	const wordsOf = ({ entry }: Text): string => {
		const { description = '', hint = '' } = entry as INodeProperties & INodePropertyOptions;
		return `${labelOf(entry)}. ${description} ${hint}`;
	};
	expect(
		offending(
			texts.map((text) => ({
				at: text.at,
				wrong:
					(!('type' in text.entry && text.entry.type === 'notice') &&
						/\b(a|an|the)\b/i.test(labelOf(text.entry))) ||
					/\b(error|problem|failure)s?\b/i.test(wordsOf(text)),
			})),
		),
	).toEqual([]);
});

/** Categories that n8n documents for the codex file of a node. */
const categories = [
	'Analytics',
	'Communication',
	'Data & Storage',
	'Development',
	'Finance & Accounting',
	'Marketing & Content',
	'Miscellaneous',
	'Productivity',
	'Sales',
	'Utility',
	// Not documented, but what n8n lists a human review step by.
	'HITL',
];

test.each([
	new MessagingService(),
	new MessagingServiceTrigger(),
	new MessagingServicePollingTrigger(),
])('the codex file of $description.displayName names what n8n documents', ({ description }) => {
	const file = `${description.name[0]?.toUpperCase()}${description.name.slice(1)}.node.json`;
	const codex = JSON.parse(textOf(`nodes/MessagingService/${file}`)) as {
		categories: string[];
		nodeVersion: string;
	};
	expect(codex.categories.filter((name) => !categories.includes(name))).toEqual([]);
	expect(Number(codex.nodeVersion)).toBe(description.version);
});
