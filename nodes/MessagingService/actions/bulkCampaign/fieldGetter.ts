/** A step of a path: `['a.b']`, `["a.b"]`, `[0]` or a name between dots. */
const step = /\[(?:"([^"]*)"|'([^']*)'|([^[\]]*))\]|[^.[\]]+/g;

/** Looks a field up by its name, or by its path where no field has that very name. */
export function fieldGetter(path: string): (json: unknown) => unknown {
	if (path === '') return () => undefined;
	const keys = [...path.matchAll(step)].map(
		([whole, ...inside]) => inside.find((key) => key !== undefined) ?? whole,
	);
	const own = ownGetter(path);
	if (keys.length === 1 && keys[0] === path) return own;
	const steps = keys.map(ownGetter);
	return (json) => own(json) ?? steps.reduce((value, get) => get(value), json);
}

/** Reads a field that the value itself has; what objects and arrays inherit is not one. */
function ownGetter(key: string): (value: unknown) => unknown {
	// Only such a key has to be looked up in each of a million rows the slow way.
	if (key in Array.prototype) {
		return (value) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined);
	}
	return (value) => (isObject(value) ? value[key] : undefined);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;
