module.exports = {
	semi: true,
	singleQuote: true,
	trailingComma: 'all',
	arrowParens: 'always',
	useTabs: true,
	printWidth: 100,
	overrides: [{ files: 'package.json', options: { useTabs: false } }],
};
