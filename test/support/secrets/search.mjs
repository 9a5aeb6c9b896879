/**
 * Searches the folder of an n8n that has ended: `node search.mjs <user folder>`, with n8n's own
 * Node, which can read its database. Prints a JSON array of places, see `test/secrets/leftBehind.test.ts`.
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What the sandbox's keys and secrets look like (`sandbox/keys.ts` and `sandbox/state/webhooks.ts`). */
const patterns = { key: /msk_(?:test_)?[0-9a-f]{40}/g, secret: /whsec_[0-9a-f]{64}/g };

/** How the beginning of a key or secret looks in Base64, whatever stands before it in the text. */
const codedPrefixes = ['msk_', 'whsec_'].flatMap((prefix) =>
	['', '-', '--'].map((before) => {
		const whole = Buffer.from(before + prefix).toString('base64url');
		// The characters that hold bits of no other byte.
		const [start, end] = [before.length * 8, (before.length + prefix.length) * 8];
		return whole.slice(Math.ceil(start / 6), Math.floor(end / 6));
	}),
);

const coded = new RegExp(codedPrefixes.join('|'), 'g');

/** Characters of Base64 that hold the longest of them. */
const codedLength = 128;

const chunkBytes = 16 * 1024 * 1024;
/** One for all files: there are a thousand of them. */
const buffer = Buffer.alloc(chunkBytes);
/** More than any pattern is long, so that none is missed between two chunks. */
const overlapBytes = 4096;

const folder = process.argv[2];
const places = new Map();

function note(place, found, operations = []) {
	const whole = { place, ...found, operations };
	places.set(JSON.stringify(whole), whole);
}

function* secretsIn(text) {
	for (const [kind, pattern] of Object.entries(patterns)) {
		if (text.search(pattern) !== -1) yield { kind, form: 'plain' };
		for (const { index } of text.matchAll(coded)) {
			const run = text.slice(Math.max(0, index - 4), index + codedLength);
			// Whatever stands before it in the run, it begins in one of four places.
			const isInside = [0, 1, 2, 3].some(
				(start) =>
					Buffer.from(run.slice(start), 'base64').toString('latin1').search(pattern) !== -1,
			);
			if (isInside) yield { kind, form: 'base64' };
		}
	}
}

function* files(directory) {
	for (const entry of readdirSync(directory, { withFileTypes: true })) {
		const file = path.join(directory, entry.name);
		if (entry.isDirectory()) yield* files(file);
		else if (entry.isFile()) yield file;
	}
}

/** The bytes as they are, also of deleted rows that a database has not overwritten. */
function searchBytes(file) {
	const isDatabase = /\.sqlite(-wal|-journal)?$/.test(file);
	const place = isDatabase ? 'bytes of the database' : path.relative(folder, file);
	const handle = openSync(file);
	for (let start = 0; ; start += chunkBytes - overlapBytes) {
		const length = readSync(handle, buffer, 0, chunkBytes, start);
		for (const found of secretsIn(buffer.toString('latin1', 0, length))) note(place, found);
		if (length < chunkBytes) break;
	}
	closeSync(handle);
}

/** Every column of every row of every table. */
function searchTables(file) {
	const database = new DatabaseSync(file);
	const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
	for (const { name: table } of tables) {
		for (const row of database.prepare(`SELECT * FROM "${table}"`).iterate()) {
			for (const [column, value] of Object.entries(row)) {
				for (const [place, text] of partsOf(`${table}.${column}`, value)) {
					for (const found of secretsIn(text)) note(place, found, operationsOf(table, row));
				}
			}
		}
	}
	database.close();
}

/** A saved execution holds a copy of its workflow, whose parts are told apart. */
function partsOf(place, value) {
	if (place !== 'execution_data.workflowData') {
		return [
			[place, value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : `${value}`],
		];
	}
	const parts = Object.entries(JSON.parse(value));
	return parts.map(([part, content]) => [`${place}.${part}`, JSON.stringify(content)]);
}

/** What the nodes of a saved execution did. */
function operationsOf(table, { workflowData }) {
	if (table !== 'execution_data') return [];
	return JSON.parse(workflowData).nodes.flatMap(({ parameters: { resource, operation } }) =>
		resource && operation ? [`${resource}.${operation}`] : [],
	);
}

const all = [...files(folder)];
// First the bytes: opening a database tidies up its write-ahead log.
all.forEach(searchBytes);
all.filter((file) => file.endsWith('.sqlite')).forEach(searchTables);
console.log(JSON.stringify([...places.values()]));
