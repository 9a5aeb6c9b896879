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

export const isStamped = (file, value) => existsSync(file) && readFileSync(file, 'utf8') === value;

export function stamp(file, value) {
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, value);
}
