import markdown from '@eslint/markdown';
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
		message: 'See the folders in CONTRIBUTING.md.',
	}));

/** Phrases that readers stumble over, and what to write instead (CONTRIBUTING.md, English). */
const phrases = {
	'told as|is told|are told': 'reported as',
	'whom of|whoever|to whom|by whom': 'name the recipient or the person',
	'(begins?|begun|runs?|sent|send) anew': 'starts over, runs again',
	'mistake of': 'an invalid item, value or option',
	'(is|are) not known|cannot be told|nobody (knows|can tell)': "can't be determined",
	'in doubt': 'uncertain',
	'for nothing': 'at no cost',
	'gone out': 'sent',
	'hears? (nothing|anything)': 'receives no events',
	'something before the service': 'a proxy in front of the service',
	'a hole': 'a vulnerability or a bug',
};

const without = (selectors) => [
	'error',
	...Object.entries(phrases).flatMap(([phrase, instead]) =>
		selectors.map(([node, property]) => ({
			selector: `${node}[${property}=/\\b(${phrase})\\b/i]`,
			message: `Write instead: ${instead}.`,
		})),
	),
];

/** Reports a comment that contains a phrase. Programs don't know, ask or tell: they recognize, query and report. */
const comments = {
	create: ({ sourceCode, report }) => ({
		Program: () => {
			const all = { ...phrases, 'knows?|asks?|asked|tells?|told|whom': 'recognize, query, report' };
			for (const node of sourceCode.getAllComments())
				for (const [phrase, instead] of Object.entries(all))
					if (new RegExp(`\\b(${phrase})\\b`, 'i').test(node.value))
						report({ node, message: `Write instead: ${instead}.` });
		},
	}),
};

/**
 * Whatever n8n's own linter does not check. In a file of its own, because `eslint.config.mjs` must stay as n8n
 * makes it.
 */
export default defineConfig(
	globalIgnores(['dist', '.cache']),
	{
		name: 'which phrases the documents may use',
		files: ['**/*.md'],
		plugins: { markdown },
		language: 'markdown/gfm',
		rules: { 'no-restricted-syntax': without([['text', 'value']]) },
	},
	{
		name: 'which phrases texts and comments may use',
		files: ['{nodes,credentials,sandbox}/**/*.ts'],
		plugins: { words: { rules: { comments } } },
		rules: {
			'words/comments': 'error',
			'no-restricted-syntax': without([
				['Literal', 'value'],
				['TemplateElement', 'value.raw'],
			]),
		},
	},
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
						...zonesIn('./nodes/MessagingService', rooms, ['limiter.ts']),
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
