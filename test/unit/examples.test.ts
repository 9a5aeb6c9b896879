import type { INode } from 'n8n-workflow';
import { findOperation as find } from '../../nodes/MessagingService/actions';
import {
	exampleCredential,
	exampleDashboard,
	example,
	exampleFiles,
} from '../../scripts/start/examples';
import { packageName } from '../../harness';
import { textOf } from '../support/docs/files';

const isOwn = ({ type }: INode): boolean => type.startsWith(`${packageName}.`);
const findOperation = ({ resource, operation }: INode['parameters']) =>
	find(String(resource), String(operation));

test('the README lists the examples', () => {
	const listed = [...textOf('examples/README.md').matchAll(/\(([\w-]+\.json)\)/g)];
	expect(listed.map(([, file]) => file).sort()).toEqual(exampleFiles());
});

describe.each(exampleFiles())('%s', (file) => {
	const { name, nodes } = example(file);

	test('is explained by a note: what it does, what to set, what it costs', () => {
		const [about] = nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');
		const content = String(about?.parameters.content);
		expect(content).toMatch(new RegExp(`^## ${name}\n`));
		for (const heading of ['**Set:**', '**Costs:**']) expect(content).toContain(heading);
	});

	test('reaches nobody before its user has named a recipient', () => {
		for (const { parameters, type } of nodes.filter(isOwn)) {
			// What a trigger, a form or a model names is not there yet.
			const { phone = '', to = '' } = parameters;
			expect([phone, to]).toEqual([
				expect.stringMatching(/^(=.*)?$/s),
				expect.stringMatching(/^(=.*)?$/s),
			]);
			if (type.endsWith('Tool') && findOperation(parameters)?.billable) {
				expect(parameters.options).toMatchObject({ allowedRecipients: '' });
			}
		}
		for (const { parameters } of nodes) {
			expect(String(parameters.jsCode)).not.toMatch(/\d{7,}/);
		}
	});

	test('holds no secret and no id of a machine', () => {
		expect(textOf(`examples/${file}`)).not.toMatch(
			/instanceId|api[-_]?key|password|bearer|msk_|sk-[A-Za-z0-9]/i,
		);
		const credentials = nodes.flatMap((node) => Object.values(node.credentials ?? {}));
		expect(credentials.filter(({ id }) => id !== null)).toEqual([]);
		for (const node of nodes.filter(isOwn)) {
			const isDashboard = node.type.endsWith('DashboardTrigger');
			expect(
				Object.entries(node.credentials ?? {}).map(([type, { name }]) => [type, name]),
			).toEqual([
				isDashboard
					? ['messagingServiceDashboard', exampleDashboard]
					: ['messagingServiceApi', exampleCredential],
			]);
		}
	});
});
