import markdown from '@eslint/markdown';
import parser from '@typescript-eslint/parser';

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

const rule = (selectors) => [
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

/** Looks for them in the documents, and in texts and comments of the nodes and the sandbox. */
export default [
	{
		files: ['**/*.md'],
		plugins: { markdown },
		language: 'markdown/gfm',
		rules: { 'no-restricted-syntax': rule([['text', 'value']]) },
	},
	{
		files: ['{nodes,credentials,sandbox}/**/*.ts'],
		languageOptions: { parser },
		linterOptions: { reportUnusedDisableDirectives: 'off' },
		plugins: { words: { rules: { comments } } },
		rules: {
			'words/comments': 'error',
			'no-restricted-syntax': rule([
				['Literal', 'value'],
				['TemplateElement', 'value.raw'],
			]),
		},
	},
];
