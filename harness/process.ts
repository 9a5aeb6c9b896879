import { hostN8n, hostNode } from './environment';
import { endWithParent, Supervised } from './supervised';

/** What an n8n process is for; only `start` has the editor's interface, the others need queue mode. */
export type Role = 'start' | 'webhook' | 'worker';

/**
 * What each role answers once it serves. /healthz answers before the database is migrated, and
 * /rest/settings not at all when the editor is off. "Who am I?" is answered with 401 as soon as
 * everything is there; the others have an address for it.
 */
const ready: Record<Role, { path: string; status: number }> = {
	start: { path: '/rest/login', status: 401 },
	webhook: { path: '/healthz/readiness', status: 200 },
	worker: { path: '/healthz/readiness', status: 200 },
};

/** One n8n process with its task runner. It ends when this process ends, whatever ends it. */
export class N8nProcess extends Supervised {
	/**
	 * @param folder n8n's user folder, also its working directory: n8n reads a `.env` file from there
	 * @param isThrowAway whether the folder is removed at the end, also when this process is killed
	 */
	constructor(
		readonly url: string,
		folder: string,
		isThrowAway: boolean,
		env: Record<string, string>,
		role: Role = 'start',
	) {
		const { path, status } = ready[role];
		super({
			name: 'n8n',
			command: [hostNode, '--import', endWithParent, hostN8n, role],
			folder,
			isThrowAway,
			env,
			isReady: async () => {
				const response = await fetch(`${url}${path}`).catch(() => undefined);
				return response?.status === status ? true : undefined;
			},
		});
	}
}
