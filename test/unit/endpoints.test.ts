import { findOperation } from '../../nodes/MessagingService/actions';
import { eventsField } from '../../nodes/MessagingService/actions/webhook/operations';
import { endpoints, type Endpoint } from '../../nodes/MessagingService/api/endpoints';
import { scopes, webhookEvents } from '../../sandbox/documented';
import { allEndpoints } from '../../sandbox/routes';
import { textOf } from '../support/docs/files';
import { documentedEndpoints, documentedEvents, documentedScopes } from '../support/docs/service';
import { describedOperations, goodParameters } from '../support/operations';
import { fakeFile, fakeRead, fakeReader } from '../support/unit/fakeRead';

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

/** The endpoint that an operation uses with the examples of its fields. */
async function endpointOf(name: string): Promise<Endpoint | undefined> {
	const [resource = '', value = ''] = name.split('.');
	const operation = findOperation(resource, value);
	const read = fakeRead(operation?.fields ?? [], goodParameters[name] ?? {}, { file: fakeFile() });
	if (operation?.kind !== 'joined') return (await operation?.plan(read))?.request.endpoint;
	const items = [{ json: { phone: '447700900210' }, binary: { data: { data: '', mimeType: '' } } }];
	return (await operation.plan(fakeReader(read), items)).plans[0]?.request.endpoint;
}

describe.each(describedOperations)('$name', ({ name, resourceName, option }) => {
	test('has its endpoint and scope in docs/operations.md', async () => {
		const { method, path, scope } = (await endpointOf(name)) ?? {};
		const heading = `\n### ${resourceName} ${option.name}\n`;
		const [facts = ''] =
			textOf('docs/operations.md').split(heading)[1]?.trimStart().split('\n') ?? [];
		expect(facts).toContain(`\`${method} ${path}\``);
		expect(facts).toContain(`scope \`${scope}\``);
	});

	test('is in the row of its scope in docs/installation.md, with what the service checks', async () => {
		const { method, path, scope } = (await endpointOf(name)) ?? {};
		const { isChecked } = documented.find((one) => named(one) === `${method} ${path}`) ?? {};
		const sign = isChecked ? '' : isChecked === false ? ' †' : ' ‡';
		const row = `^\\| \`${scope}\` \\|.* ${resourceName}: ([^;]+, )?${option.name}${sign}([,;]| \\|)`;
		expect(textOf('docs/installation.md')).toMatch(new RegExp(row, 'm'));
	});
});
