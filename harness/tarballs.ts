import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tarballPath, tempFolder } from './paths';

/** Unpacks what users get. @returns the folder with its package.json */
export function unpack(): string {
	const folder = mkdtempSync(path.join(tempFolder, 'package-'));
	execFileSync('tar', ['-xzf', tarballPath, '-C', folder]);
	return path.join(folder, 'package');
}

/** Packs the package once more, under another version. @returns the new tarball */
export function packAs(version: string): string {
	const folder = unpack();
	const manifestFile = path.join(folder, 'package.json');
	const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as object;
	writeFileSync(manifestFile, JSON.stringify({ ...manifest, version }));
	const tarball = path.join(folder, '..', `${version}.tgz`);
	execFileSync('tar', ['-czf', tarball, '-C', path.dirname(folder), 'package']);
	return tarball;
}
