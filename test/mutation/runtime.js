const { createRequire, isBuiltin } = require('node:module');
const path = require('node:path');
const { default: Runtime } = require('jest-runtime');

/** Loads what all test files of the process share. */
let shared;

/** Gives n8n-core a store, which it takes once. */
const deduplicator = path.resolve(__dirname, '../support/core/deduplicator');

/**
 * Jest's module loader, but that packages are loaded once for all test files: loading n8n's takes
 * seconds, and there are hundreds of mutants.
 */
module.exports = class SharedPackages extends Runtime {
	constructor(...args) {
		super(...args);
		shared ??= this;
	}

	requireModule(from, name, ...rest) {
		const isElsewhere = this !== shared && name !== undefined && isShared(from, name);
		return isElsewhere
			? shared.requireModule(from, name, ...rest)
			: super.requireModule(from, name, ...rest);
	}

	/** The one that loads packages goes on loading them for the others. */
	leaveTestCode() {
		if (this !== shared) super.leaveTestCode();
	}

	teardown() {
		if (this !== shared) super.teardown();
	}
};

function isShared(from, name) {
	if (isBuiltin(name) || path.isAbsolute(name)) return false;
	if (name.startsWith('.')) return path.resolve(path.dirname(from), name) === deduplicator;
	return createRequire(from).resolve(name).includes('/node_modules/');
}
