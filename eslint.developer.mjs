import { config } from '@n8n/node-cli/eslint';

/**
 * For what runs on the developer's machine and never inside n8n: sandbox, harness, tests, benchmark
 * and scripts may use Node's modules and globals, start programs, print, and throw errors of their
 * own. ESLint takes the configuration nearest to a file (flag unstable_config_lookup_from_file).
 */
export default [
	...config,
	{
		rules: {
			'@n8n/community-nodes/no-dangerous-functions': 'off',
			'@n8n/community-nodes/no-restricted-globals': 'off',
			'@n8n/community-nodes/no-restricted-imports': 'off',
			'@n8n/community-nodes/require-node-api-error': 'off',
			'no-console': 'off',
		},
	},
];
