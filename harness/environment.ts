import path from 'node:path';
import { pick } from 'lodash';
import { hostFolder, tempFolder } from './paths';

/** The Node that n8n needs; it comes with the host's packages. */
export const hostNode = path.join(hostFolder, 'node_modules/node/bin/node');
export const hostN8n = path.join(hostFolder, 'node_modules/n8n/bin/n8n');

/** n8n must not see the developer's own n8n settings, so only these are handed on. */
const inheritedNames = ['LANG', 'LC_ALL', 'TZ', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];

/** A quiet n8n that asks nobody on the internet and keeps what it executes. */
const settings = {
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_SECURE_COOKIE: 'false',
	// Saves 5 s of start: the tests need no editor.
	N8N_DISABLE_UI: 'true',
	// These two ask the internet at every start.
	N8N_DISABLED_MODULES: 'mcp-registry,instance-ai',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
	EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all',
	EXECUTIONS_DATA_SAVE_ON_ERROR: 'all',
	EXECUTIONS_DATA_SAVE_MANUAL_EXECUTIONS: 'true',
};

/**
 * The environment of one n8n process. The home directory is its user folder, so that nothing n8n or its
 * libraries write reaches the developer's own.
 * @param options.env wins over every setting above
 */
export function environment(options: {
	folder: string;
	port: number;
	brokerPort: number;
	env?: Record<string, string>;
}): Record<string, string> {
	return {
		...(pick(process.env, inheritedNames) as Record<string, string>),
		...settings,
		// n8n starts its task runner with whatever `node` comes first in PATH.
		PATH: [path.dirname(hostNode), process.env.PATH ?? ''].join(path.delimiter),
		HOME: options.folder,
		TMPDIR: tempFolder,
		N8N_USER_FOLDER: options.folder,
		// Saves a sixth of each start; beside the n8n that it belongs to.
		NODE_COMPILE_CACHE: path.join(hostFolder, 'compile-cache'),
		N8N_PORT: String(options.port),
		// A worker serves its health there, where the other roles serve everything.
		QUEUE_HEALTH_CHECK_PORT: String(options.port),
		N8N_RUNNERS_BROKER_PORT: String(options.brokerPort),
		WEBHOOK_URL: `http://127.0.0.1:${options.port}/`,
		...options.env,
	};
}
