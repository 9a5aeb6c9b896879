import type { INode } from 'n8n-workflow';
import { exampleCredential, example, exampleFiles } from '../../scripts/start/examples';
import { packageName } from '../../harness';
import { textOf } from '../support/docs/files';

const sticky = 'n8n-nodes-base.stickyNote';

const isSticky = ({ type }: INode): boolean => type === sticky;

test('there are examples of each kind of node', () => {
	const types = exampleFiles().flatMap((file) => example(file).nodes.map(({ type }) => type));
	for (const kind of ['', 'Tool', 'Trigger', 'PollingTrigger']) {
		expect(types).toContain(`${packageName}.messagingService${kind}`);
	}
});

describe.each(exampleFiles())('%s', (file) => {
	const { name, nodes, connections } = example(file);

	test('is explained by a note: what it does, what to set, what it costs', () => {
		const [about] = nodes.filter(isSticky).map(({ parameters }) => String(parameters.content));
		expect(about).toMatch(new RegExp(`^## ${name}\n`));
		expect(about).toContain('**Set:**');
		expect(about).toContain('**Costs:**');
	});

	test('is listed in the README of the examples', () => {
		expect(textOf('examples/README.md')).toContain(`(${file})`);
	});

	test('connects every node', () => {
		const linked = Object.entries(connections).flatMap(([from, outputs]) => [
			from,
			...Object.values(outputs).flatMap((output) =>
				output.flatMap((targets) => (targets ?? []).map(({ node }) => node)),
			),
		]);
		const names = nodes.filter((node) => !isSticky(node)).map((node) => node.name);
		expect([...new Set(linked)].sort()).toEqual(names.sort());
	});

	test('holds no secret and no id of a machine', () => {
		expect(textOf(`examples/${file}`)).not.toMatch(
			/instanceId|api[-_]?key|password|bearer|msk_|sk-[A-Za-z0-9]/i,
		);
		const credentials = nodes.flatMap((node) => Object.values(node.credentials ?? {}));
		expect(credentials.filter(({ id }) => id !== null)).toEqual([]);
		const own = nodes.filter(({ type }) => type.startsWith(`${packageName}.`));
		for (const node of own) {
			expect(node.credentials?.messagingServiceApi?.name).toBe(exampleCredential);
		}
	});
});
