import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(__dirname, '../../.github/workflows');
const contents = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

test.each(readdirSync(folder))('%s uses actions at fixed commits and keeps no token', (name) => {
	const text = contents(name);
	const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
	expect(uses.length).toBeGreaterThan(0);
	for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
	const checkouts = text.match(/uses: actions\/checkout/g) ?? [];
	expect(text.match(/persist-credentials: false/g)).toHaveLength(checkouts.length);
	expect(text).toMatch(/^permissions:/m);
	expect(text).not.toMatch(/secrets\.|pull_request_target|write-all/);
});

test('publishing: signatures and tests come first, then the tested file goes out', () => {
	const text = contents('publish.yml');
	const steps = [
		'npm audit signatures',
		'run: .ci/run',
		'npm publish ./n8n-nodes-messaging-service.tgz',
	];
	const places = steps.map((step) => text.indexOf(step));
	expect(places).not.toContain(-1);
	expect(places).toEqual([...places].sort((a, b) => a - b));
	expect(text).toMatch(/npm publish .* --provenance/);
	expect(text.match(/[\w-]+: write/g)).toEqual(['id-token: write']);
});
