import { eventsField } from '../../nodes/MessagingService/actions/webhook/operations';
import { endpoints, type Endpoint } from '../../nodes/MessagingService/api/endpoints';
import { scopes, webhookEvents } from '../../sandbox/documented';
import { allEndpoints } from '../../sandbox/routes';
import { endpointOf } from '../support/docs/endpoints';
import { textOf } from '../support/docs/files';
import { documentedEndpoints, documentedEvents, documentedScopes } from '../support/docs/service';
import { describedOperations } from '../support/operations';

const named = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const documented = documentedEndpoints();
const used: Endpoint[] = Object.values(endpoints);

describe('docs/service.md, section 4.1', () => {
	test('has the endpoints of the nodes, with their scopes', () => {
		const withScope = (one: { method: string; path: string; scope?: string }) =>
			`${named(one)} ${one.scope}`;
		expect(used.map(withScope).sort()).toEqual(documented.map(withScope).sort());
	});

	test('has the endpoints of the sandbox', () => {
		expect(allEndpoints.map(named).sort()).toEqual(documented.map(named).sort());
	});

	test('leads to a section for each endpoint', () => {
		const headings = textOf('docs/service.md').match(/^### 4\.\d+ [A-Z]+ \/.*$/gm) ?? [];
		const paths = headings.map((heading) =>
			heading.replace(/^### [\d.]+ /, '').replace(/\{(\w+)\}/g, ':$1'),
		);
		expect(paths.sort()).toEqual(documented.map(named).sort());
	});
});

test('the event kinds of the nodes and the sandbox are those of docs/service.md, section 6.1', () => {
	expect(eventsField.options?.map((one) => 'value' in one && one.value).sort()).toEqual(
		documentedEvents().sort(),
	);
	expect([...webhookEvents].sort()).toEqual(documentedEvents().sort());
});

test('the scopes of the sandbox are those of docs/service.md, section 2.1', () => {
	expect([...scopes].sort()).toEqual(documentedScopes().sort());
});

test.each(describedOperations)(
	'the section of $name in docs/operations.md names its endpoint and scope',
	async (operation) => {
		const { method, path, scope } = await endpointOf(operation);
		const { resourceName, option } = operation;
		const [, section = ''] = textOf('docs/operations.md').split(
			`\n### ${resourceName} ${option.name}\n`,
		);
		const [facts = ''] = section.trimStart().split('\n');
		expect(facts).toContain(`\`${method} ${path}\``);
		expect(facts).toContain(`scope \`${scope}\``);
	},
);
