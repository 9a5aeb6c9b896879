import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import * as regexp from 'eslint-plugin-regexp';
import { globalIgnores } from 'eslint/config';
import typescript from 'typescript-eslint';
import words from './eslint.words.mjs';

/** Which folders of the repository a folder may import, besides itself; as in CONTRIBUTING.md. */
const folders = {
	nodes: [],
	credentials: ['nodes'],
	sandbox: [],
	harness: ['sandbox'],
	scripts: ['harness', 'sandbox'],
	bench: ['nodes', 'harness', 'sandbox'],
};

/** The same for the rooms of the nodes. Each imports earlier ones alone, so there is no circle. */
const rooms = {
	api: [],
	parameters: ['api'],
	sending: ['operation.ts', 'job.ts', 'api'],
	running: ['operation.ts', 'job.ts', 'sending', 'parameters', 'api'],
	sendAndWait: ['operation.ts', 'parameters', 'api'],
	actions: ['operation.ts', 'sendAndWait', 'parameters', 'api'],
	trigger: ['actions', 'parameters', 'api'],
	polling: ['actions', 'parameters', 'api'],
	listSearch: ['api'],
	credentialTest: ['actions', 'api'],
};

const zonesIn = (parent, table, always = []) =>
	Object.entries(table).map(([name, others]) => ({
		target: `${parent}/${name}`,
		from: parent,
		except: [name, ...others, ...always].map((one) => `./${one}`),
		message: 'See the tables of folders in CONTRIBUTING.md.',
	}));

/**
 * Where imports may lead, which patterns may run and which phrases may be written. In a file of its own, because
 * n8n's linter allows no change of its configuration.
 */
export default [
	...words,
	globalIgnores(['dist', '.cache', 'test', '**/eslint.config.mjs']),
	{
		files: ['**/*.{ts,mjs,js}'],
		languageOptions: { parser: typescript.parser },
		// Comments that turn off rules of the other configurations do nothing here.
		linterOptions: { reportUnusedDisableDirectives: 'off' },
		plugins: { 'import-x': importX },
		settings: { 'import-x/resolver-next': [createTypeScriptImportResolver()] },
		rules: {
			'import-x/no-restricted-paths': [
				'error',
				{
					zones: [
						...zonesIn('.', folders, ['node_modules']),
						...zonesIn('./nodes/MessagingService', rooms, ['limiter.ts']),
					],
				},
			],
		},
	},
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		plugins: { regexp },
		rules: {
			// A pattern that takes quadratic time for a text from outside would stop all of n8n.
			'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
			'regexp/no-super-linear-move': ['error', { report: 'potential' }],
			// Whatever n8n does not bring is missing where the package is installed.
			'no-restricted-imports': [
				'error',
				{ patterns: [{ regex: '^(?!\\.|(n8n-workflow|zod|luxon|lodash|node:crypto)$)' }] },
			],
		},
	},
];
