import { createRequire } from 'node:module';
import { difference, map, upperFirst } from 'lodash';
import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { workflowOf } from '../../support/core/workflow';
import {
	action,
	dashboard,
	labelOf,
	nodes,
	polling,
	texts,
	triggers,
} from '../../support/descriptions';
import { textOf } from '../../support/docs/files';
import { describedOperations } from '../../support/operations';

const fields = texts.flatMap(({ at, entry }) => ('type' in entry ? [{ at, field: entry }] : []));

test('choices, and the fields of a collection, are sorted by name', () => {
	for (const { at, field } of fields) {
		const { type, options = [] } = field;
		if (!['options', 'multiOptions', 'collection'].includes(type)) continue;
		const names = options.map(labelOf);
		expect([at, ...names]).toEqual([at, ...names.toSorted((a, b) => a.localeCompare(b))]);
	}
});

test.each<[string, (field: INodeProperties) => boolean]>([
	['a label and a type', ({ displayName, type }) => displayName !== '' && String(type) !== ''],
	[
		'a value that an expression, or a model, may fill, if it is no choice',
		({ type, noDataExpression }) => type === 'options' || noDataExpression !== true,
	],
	[
		'a label that fits beside the buttons of its line',
		({ type, displayName }) => type === 'notice' || displayName.length <= 27,
	],
	['a hint that fits into its line', ({ hint = '' }) => hint.length <= 120],
	[
		'"Whether" where it is on or off',
		({ type, description: text }) => type !== 'boolean' || text?.startsWith('Whether ') === true,
	],
	[
		'an example where it can be typed',
		({ type, typeOptions, default: preset, placeholder = '' }) =>
			!['string', 'json'].includes(type) ||
			typeOptions?.password === true ||
			preset !== '' ||
			placeholder.startsWith('e.g. '),
	],
])('every field has %s', (_what, isRight) => {
	expect(fields.filter(({ field }) => !isRight(field)).map(({ at }) => at)).toEqual([]);
});

test('names have no articles, and no text speaks of errors', () => {
	const wrong = texts.filter(({ entry }) => {
		const own = entry as INodeProperties & INodePropertyOptions;
		const words = `${labelOf(entry)}. ${own.description} ${own.hint}`;
		const labels = `${labelOf(entry)} ${own.action}`;
		const hasArticle = own.type !== 'notice' && /\b(a|an|the)\b/i.test(labels);
		return hasArticle || /\b(error|problem|failure)s?\b/i.test(words);
	});
	expect(wrong.map(({ at }) => at)).toEqual([]);
});

/** What n8n shows below the name of a node. */
function shown({ name, subtitle }: INodeTypeDescription, parameters: INodeParameters): unknown {
	const type = `n8n-nodes-messaging-service.${name}`;
	const position: [number, number] = [0, 0];
	const node = { id: '1', name: 'Node', type, typeVersion: 1, position, parameters };
	const workflow = workflowOf(node, { active: false });
	const [own] = Object.values(workflow.nodes);
	if (!own) throw new Error('The workflow has no node');
	return workflow.expression.getSimpleParameterValue(own, subtitle ?? '', 'internal', {});
}

test.each(describedOperations)('$name has its labels', ({ choice, option, resourceName }) => {
	expect(shown(action, choice)).toBe(`${option.name}: ${resourceName}`);
});

const choices = [polling, dashboard].flatMap((description) => {
	const [{ name: field, options } = { name: '' }] = description.properties;
	return (options as INodePropertyOptions[]).map((choice) => ({ ...choice, description, field }));
});

test.each(choices)(
	'a trigger on $value is named by its label, and n8n lists it as an action',
	({ name, value, action: listed, description, field }) => {
		expect(shown(description, { [field]: value })).toBe(name);
		expect(listed).toMatch(/^On /);
	},
);

/** Categories that n8n documents for the codex file of a node. */
const categories = [
	...['Analytics', 'Communication', 'Data & Storage', 'Development', 'Finance & Accounting'],
	...['Marketing & Content', 'Miscellaneous', 'Productivity', 'Sales', 'Utility'],
];

test.each(nodes)('the codex file of $displayName names what n8n documents', ({ name, version }) => {
	const file = textOf(`nodes/MessagingService/${upperFirst(name)}.node.json`);
	const codex = JSON.parse(file) as { categories: string[]; nodeVersion: string };
	expect(difference(codex.categories, categories)).toEqual([]);
	expect(Number(codex.nodeVersion)).toBe(version);
});

/** The search of n8n's list of nodes, which n8n-core brings. */
const { sublimeSearch } = createRequire(require.resolve('n8n-core'))(
	'@n8n/utils/search/sublime-search',
) as { sublimeSearch: (text: string, entries: object[]) => object[] };

test.each([
	...['send pdf', 'invoice', 'appointment', 'statistics', 'send messages', 'failed messages'],
	...['reply', 'alert', 'reminder', 'bulk send', 'phone call', 'approval', 'newsletter'],
])('n8n finds the node by "%s"', (text) => {
	const codex: unknown = JSON.parse(textOf('nodes/MessagingService/MessagingService.node.json'));
	const entry = { properties: { displayName: action.displayName, codex } };
	expect(sublimeSearch(text, [entry])).toHaveLength(1);
	expect(sublimeSearch(`${text} xyz`, [entry])).toEqual([]);
});

// n8n's list joins the node with the trigger of its name, and describes both by the trigger.
test('n8n introduces the actions with a text that is true of them', () => {
	const joined = triggers.find(({ name }) => name === `${action.name}Trigger`);
	expect(joined?.description).toMatch(
		/^Chat messages, campaigns, calls and emails\. As a trigger, /,
	);
});

/** What the editor shows of a field without a click. */
const visible = texts.map(({ at, entry }) => {
	const { type, hint = '', displayName } = entry as INodeProperties;
	return `${at.split(' > ')[0]}: ${type === 'notice' ? displayName : hint}`;
});

test.each([
	'Messaging Service: Emails carry no attachments',
	'Messaging Service: To exclude everybody in a table, use <code>{{ ',
	'Messaging Service Polling Trigger: A balance that is already below a threshold emits nothing',
	'Messaging Service Dashboard Trigger: Only a label: everything that arrives starts the workflow',
])('the panel shows %s', (text) => {
	expect(visible.filter((one) => one.startsWith(text))).not.toEqual([]);
});

/** Whether the editor shows the notice about opt-outs with these options. */
const showsOptOuts = (options: INodeParameters) => {
	const values = { resource: 'chatMessage', operation: 'sendTemplate', options };
	return action.properties
		.filter(({ name }) => name === 'optOutsNotice')
		.some((one) => NodeHelpers.displayParameter(values, one, { typeVersion: 1 }, action, values));
};

test('opt-outs from a table are explained as soon as the option is added', () => {
	const added = ['', '447700900210', "={{ $('Opt-outs').item.json.phone }}"];
	expect(showsOptOuts({})).toBe(false);
	for (const excludedRecipients of added) expect(showsOptOuts({ excludedRecipients })).toBe(true);
});

/** The fields that the editor shows of the node's tool with these values. */
function shownInTool(values: INodeParameters): string[] {
	const type = { ...action, name: 'messagingServiceTool' };
	const node = { typeVersion: 1 };
	const all = NodeHelpers.getNodeParameters(type.properties, values, true, false, node, type) ?? {};
	const isShown = (field: INodeProperties) =>
		NodeHelpers.displayParameter(all, field, node, type, all);
	return map(type.properties.filter(isShown), 'name');
}

test.each(describedOperations.filter(({ fields: own }) => map(own, 'name').includes('toolNotice')))(
	'a tool for $name asks for its recipients until they are entered',
	({ choice }) => {
		const shows = (allowedRecipients?: string) =>
			shownInTool({ ...choice, options: { allowedRecipients } }).includes('toolNotice');
		expect([undefined, '', '+447700900210'].map(shows)).toEqual([true, true, false]);
	},
);
