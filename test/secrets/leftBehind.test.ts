import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { leftBehind } from '../../harness/paths';
import { findingsIn, isExpected } from '../support/secrets/findings';

const folders = readdirSync(leftBehind);

// What every n8n of the end-to-end tests has left: the shared one and those of single test files.
test.each(folders)('%s holds no key, and webhook secrets only where n8n keeps them', (name) => {
	const folder = path.join(leftBehind, name);
	expect(existsSync(path.join(folder, '.n8n/database.sqlite'))).toBe(true);
	expect(findingsIn(folder).filter((finding) => !isExpected(finding))).toEqual([]);
});
