import { createHash } from 'node:crypto';
import {
	appendFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Trouble } from './command.mjs';
import { cacheFolder, rootFolder } from './paths.mjs';

const patienceMs = 30 * 60_000;
const lookMs = 500;

/**
 * Makes something once, even if two commands want it at the same time.
 * @param what.name e.g. "n8n"
 * @param what.mark file that is written at the end, with `what.value`: of what it was made
 * @param make gets `began`, to call with the number of each process group that works on it, and `isLeft`: whether an
 * earlier command was interrupted or failed while it did
 */
export async function once({ name, mark, value }, make) {
	if (isMade({ mark, value })) return;
	// Outside the folder that is made, and removed only at a good end.
	const marked = path.relative(rootFolder, mark).replaceAll(path.sep, '-');
	const making = path.join(cacheFolder, `making-${marked}`);
	const isLeft = await enter(making, name);
	try {
		if (!isMade({ mark, value })) {
			rmSync(mark, { force: true });
			await make({ began: (group) => appendFileSync(making, `-${group}\n`), isLeft });
			mkdirSync(path.dirname(mark), { recursive: true });
			writeFileSync(mark, value);
		}
		rmSync(making);
	} catch (error) {
		writeFileSync(making, 'failed\n');
		throw error;
	}
}

/** Whether it was made of just this. */
export const isMade = ({ mark, value }) => existsSync(mark) && readFileSync(mark, 'utf8') === value;

/**
 * Writes this process into the file, after waiting for those that are in it.
 * @returns whether there were some, which have ended without removing the file
 * @throws Trouble after half an hour
 */
async function enter(file, name) {
	mkdirSync(path.dirname(file), { recursive: true });
	const end = Date.now() + patienceMs;
	for (let isLeft = false, isNamed = false; ;) {
		try {
			writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
			return isLeft;
		} catch (error) {
			if (error.code !== 'EEXIST') throw error;
		}
		if (!existsSync(file)) continue;
		const alive = readFileSync(file, 'utf8').trim().split('\n').find(isAlive);
		if (alive === undefined) {
			rmSync(file);
			isLeft = true;
			continue;
		}
		const other = `another command in this folder (process ${alive.replace('-', '')}), which prepares ${name}`;
		const advice = `If there is none, delete "${file}" and run the command again.`;
		if (Date.now() > end) throw new Trouble(`Waited half an hour for ${other}. ${advice}`);
		if (!isNamed) console.log(`Waiting for ${other}. ${advice}`);
		isNamed = true;
		await new Promise((resolve) => setTimeout(resolve, lookMs));
	}
}

/** Whether a process exists, or with a minus in front of the number, one of a group. */
function isAlive(number) {
	try {
		process.kill(Number(number), 0);
		return true;
	} catch (error) {
		// It belongs to somebody else.
		return error.code === 'EPERM';
	}
}

/** A fingerprint of files and folders with their names. */
export function fingerprint(root, names) {
	const hash = createHash('sha256');
	const add = (name) => {
		const file = path.join(root, name);
		if (statSync(file).isDirectory()) {
			for (const entry of readdirSync(file).sort()) add(path.join(name, entry));
		} else {
			hash.update(`${name}\0`).update(readFileSync(file)).update('\0');
		}
	};
	names.forEach(add);
	return hash.digest('hex');
}
