import { textOf } from '../support/docs/files';

interface Entry {
	optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(textOf('package-lock.json')) as {
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
