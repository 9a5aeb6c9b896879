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

const sticky = 'n8n-nodes-base.stickyNote';

const isSticky = ({ type }: INode): boolean => type === sticky;
const isOwn = ({ type }: INode): boolean => type.startsWith(`${packageName}.`);
const findOperation = ({ resource, operation }: INode['parameters']) =>
	find(String(resource), String(operation));

test('the README lists the examples, beginning with those for newcomers', () => {
	const listed = [...textOf('examples/README.md').matchAll(/\(([\w-]+\.json)\)/g)].map(
		([, file]) => file,
	);
	expect([...listed].sort()).toEqual(exampleFiles());
	expect(listed.length).toBeLessThanOrEqual(16);
	const first = ['send-template', 'order-confirmation', 'approve-refund'];
	const next = ['bulk-campaign-from-spreadsheet', 'ai-agent'];
	expect(listed.slice(0, 5)).toEqual([...first, ...next].map((name) => `${name}.json`));
});

describe.each(exampleFiles())('%s', (file) => {
	const { name, nodes } = example(file);

	test('is explained by a short note: what it does, what to set, what it costs', () => {
		const notes = nodes.filter(isSticky).map(({ parameters }) => String(parameters.content));
		expect(notes.join(' ').split(/\s+/).length).toBeLessThanOrEqual(60);
		const [about] = notes;
		expect(about).toMatch(new RegExp(`^## ${name}\n`));
		expect(about).toContain('**Set:**');
		expect(about).toContain('**Costs:**');
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
