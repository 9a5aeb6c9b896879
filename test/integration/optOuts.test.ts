import type { IDataObject, INode } from 'n8n-workflow';
import { example } from '../../scripts/start/examples';
import { execute, failureOf, type Execution } from '../support/core/execute';
import { action } from '../support/descriptions';
import { textOf } from '../support/docs/files';

/** What the panel shows once Excluded Recipients has been added. */
const { displayName: notice = '' } =
	action.properties.find(({ name }) => name === 'optOutsNotice') ?? {};

const optOuts = ({ parameters }: INode) =>
	(parameters.options as IDataObject | undefined)?.excludedRecipients;

/** Every expression that a user is told to exclude a table with. */
const expressions = {
	'the panel': notice,
	'docs/operations.md': /\*\*Excluded Recipients\*\* from a table: `(.+?)`/.exec(
		textOf('docs/operations.md'),
	)?.[1],
	'the example': example('opt-outs.json').nodes.map(optOuts).join(''),
};

const [anna, ben, carla] = ['447700900210', '447700900211', '447700900212'];

describe.each(Object.entries(expressions))('opt-outs by the expression of %s', (_where, text) => {
	const [expression = '', node = ''] = /\{\{ \$\('(.+?)'\)\.all\(\).+?\}\}/.exec(text ?? '') ?? [];

	/** A simulated run for all three, behind a table with these rows. */
	const behind = (rows: IDataObject[], excludedRecipients = `=${expression}`): Execution => ({
		credential: { baseUrl: 'http://127.0.0.1:1/api/v1', apiKey: 'key' },
		items: [anna, ben, carla].map((to, item) => ({ json: { to }, pairedItem: { item } })),
		before: { name: node, items: rows.map((json) => ({ json })) },
		parameters: {
			...{ resource: 'chatMessage', operation: 'send', phone: '={{ $json.to }}', message: 'Hi' },
			options: { simulate: 'always', excludedRecipients },
		},
	});
	const excluded = async (rows: IDataObject[]) =>
		(await execute(behind(rows))).flatMap(({ json }) => (json.excluded ? [json.phone] : []));

	test('leave out everybody in the table', async () => {
		const rows = [{ phone: '+44 7700 900210' }, { phone: null }, { phone: carla }];
		expect(await excluded(rows.map((row, id) => ({ id, ...row })))).toEqual([anna, carla]);
	});

	test.each([[[]], [[{}]]])('leave out nobody if the table is empty: %j', async (rows) => {
		expect(await excluded(rows)).toEqual([]);
	});

	test('send nothing if the column has another name', async () => {
		const { message, description } = await failureOf(execute(behind([{ number: anna }])));
		expect(message).toBe('Excluded Recipients is empty');
		expect(description).toContain('$(');
	});

	test('are advised if a dragged column has no paired row', async () => {
		const dragged = `={{ $('${node}').item.json.phone }}`;
		const failure = await failureOf(execute(behind([{ phone: anna }, { phone: ben }], dragged)));
		expect(failure.message).toMatch(/^Excluded Recipients: Paired item data/);
		expect(failure.description).toContain('.all().filter((row) => row.json.isNotEmpty())');
	});
});
