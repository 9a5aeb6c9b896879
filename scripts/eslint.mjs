import { config as strict } from '@n8n/node-cli/eslint';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import * as regexp from 'eslint-plugin-regexp';
import { defineConfig, globalIgnores } from 'eslint/config';
import typescript from 'typescript-eslint';

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
	remembered: ['api'],
	sending: ['operation.ts', 'job.ts', 'api'],
	running: ['operation.ts', 'job.ts', 'sending', 'remembered', 'parameters', 'api'],
	sendAndWait: ['operation.ts', 'remembered', 'parameters', 'api'],
	actions: ['operation.ts', 'sendAndWait', 'parameters', 'api'],
	trigger: ['actions', 'remembered', 'parameters', 'api'],
	polling: ['actions', 'parameters', 'api'],
	listSearch: ['api'],
	credentialTest: ['actions', 'api'],
};

const zonesIn = (parent, table, always = []) =>
	Object.entries(table).map(([name, others]) => ({
		target: `${parent}/${name}`,
		from: parent,
		except: [name, ...others, ...always].map((one) => `./${one}`),
		message: 'See the folders in CONTRIBUTING.md.',
	}));

/**
 * Whatever n8n's own linter does not check. In a file of its own, because `eslint.config.mjs` must stay as n8n
 * makes it.
 */
export default defineConfig(
	globalIgnores(['dist', '.cache']),
	{
		name: 'what runs on the developer’s machine may use Node, start programs, print, and throw its own errors',
		files: ['{sandbox,harness,test,bench,scripts}/**/*.ts'],
		extends: [strict],
		rules: {
			'@n8n/community-nodes/no-dangerous-functions': 'off',
			'@n8n/community-nodes/no-restricted-globals': 'off',
			'@n8n/community-nodes/no-restricted-imports': 'off',
			'@n8n/community-nodes/require-node-api-error': 'off',
			'no-console': 'off',
		},
	},
	{
		name: 'where imports may lead',
		files: ['**/*.{ts,mjs,js}'],
		ignores: ['test/**', 'eslint.config.mjs'],
		languageOptions: { parser: typescript.parser },
		plugins: {
			'import-x': strict.find(({ plugins }) => plugins?.['import-x']).plugins['import-x'],
		},
		settings: { 'import-x/resolver-next': [createTypeScriptImportResolver()] },
		rules: {
			'import-x/no-restricted-paths': [
				'error',
				{
					zones: [
						...zonesIn('.', folders, ['node_modules']),
						...zonesIn('./nodes/MessagingService', rooms, ['limiter.ts', 'n8n.ts']),
					],
				},
			],
		},
	},
	{
		name: 'the published package',
		files: ['{nodes,credentials}/**/*.ts'],
		// Comments that turn off rules of n8n's linter do nothing here.
		linterOptions: { reportUnusedDisableDirectives: 'off' },
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
);
