import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A fingerprint of files and folders with their names; what does not exist counts as empty. */
export function fingerprint(root, names) {
	const hash = createHash('sha256');
	const add = (name) => {
		const file = path.join(root, name);
		if (!existsSync(file)) return;
		if (!statSync(file).isDirectory()) {
			hash.update(`${name}\0`).update(readFileSync(file)).update('\0');
			return;
		}
		for (const entry of readdirSync(file).sort()) add(path.join(name, entry));
	};
	names.forEach(add);
	return hash.digest('hex');
}

/** Makes something, unless a file says that it was made of the same; then the file says so. */
export async function onceFor(file, value, make) {
	if (existsSync(file) && readFileSync(file, 'utf8') === value) return;
	await make();
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, value);
}
