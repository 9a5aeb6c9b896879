import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tarballPath, tempFolder } from './paths';

/** Packs the package once more, under another version. @returns the new tarball */
export function packAs(version: string): string {
	const folder = mkdtempSync(path.join(tempFolder, 'package-'));
	execFileSync('tar', ['-xzf', tarballPath, '-C', folder]);
	const manifestFile = path.join(folder, 'package/package.json');
	const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as object;
	writeFileSync(manifestFile, JSON.stringify({ ...manifest, version }));
	const tarball = path.join(folder, `${version}.tgz`);
	execFileSync('tar', ['-czf', tarball, '-C', folder, 'package']);
	return tarball;
}
