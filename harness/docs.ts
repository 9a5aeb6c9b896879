import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rootFolder } from './paths';

/** Whether a run of the tests writes the documents. */
export const isWritten = process.env.UPDATE_DOCS === '1';

/**
 * Puts a measured or generated text between its two markers in a document, but only when asked to
 * by UPDATE_DOCS=1: a test run leaves the clone as it is.
 */
export function writeTable(name: string, content: string, file = 'docs/reliability.md'): void {
	if (isWritten) putBlock(file, name, content);
}

/** Puts a text between two markers in a document. */
export function putBlock(file: string, name: string, content: string): void {
	const target = path.join(rootFolder, file);
	writeFileSync(target, withBlock(readFileSync(target, 'utf8'), name, content));
}

/**
 * The document with a text between `<!--name-->` and `<!--/name-->`.
 * @throws when the document does not have these two comments
 */
export function withBlock(document: string, name: string, content: string): string {
	const [start, end] = [`<!--${name}-->`, `<!--/${name}-->`];
	const from = document.indexOf(start);
	const to = document.indexOf(end, from);
	if (from === -1 || to === -1) throw new Error(`The document has no ${start} … ${end}`);
	return `${document.slice(0, from + start.length)}\n\n${content}\n\n${document.slice(to)}`;
}
