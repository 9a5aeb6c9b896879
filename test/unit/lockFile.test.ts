import { readFileSync } from 'node:fs';
import path from 'node:path';
import { rootFolder } from '../../harness';

interface Entry {
	optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(
	readFileSync(path.join(rootFolder, 'package-lock.json'), 'utf8'),
) as {
	packages: Record<string, Entry>;
};

/** Folders in which Node looks for what a package needs, nearest first, as the lock file names them. */
function lookup(folder: string, name: string): string[] {
	const parts = folder.split(/\/?node_modules\//);
	return parts
		.map((_, index) => [...parts.slice(0, parts.length - index), name])
		.map((names) => names.join('/node_modules/').replace(/^\//, ''));
}

// `npm ci` refuses a lock file without them.
test('the lock file has the packages for every platform', () => {
	const missing = Object.entries(packages).flatMap(([folder, { optionalDependencies = {} }]) =>
		Object.keys(optionalDependencies).filter(
			(name) => !lookup(folder, name).some((place) => place in packages),
		),
	);
	expect(missing).toEqual([]);
});
