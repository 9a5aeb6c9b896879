import { statSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, packageName, tarballPath } from '../../harness';
import { bare } from '../bare';
import { alternate, toRow, type Row } from '../row';
import type { Stage } from '../stage';

const peersFolder = path.join(cacheFolder, 'peers');

/** Packages of the same kind that the npm registry has. */
const peers = ['n8n-nodes-evolution-api'];

/** Loading the package as n8n does at its start, and what has to be downloaded for it. */
export async function load(stage: Stage): Promise<Row[]> {
	const rows: Row[] = [];
	const own = path.join(stage.n8n.userFolder, '.n8n/nodes/node_modules', packageName);
	const loading = async (folder: string) => (await bare<{ ms: number }>('load', { folder })).ms;
	for (const peer of peers) {
		const runs = await alternate(stage.rounds, {
			own: async () => await loading(own),
			peer: async () => await loading(path.join(peersFolder, 'node_modules', peer)),
		});
		const common = { peerName: peer, target: 1 };
		rows.push(
			toRow({
				...common,
				name: 'loading the package',
				unit: 'ms',
				ours: runs.own,
				peer: runs.peer,
			}),
			toRow({
				...common,
				name: 'size of the package',
				unit: 'kB',
				ours: [statSync(tarballPath).size / 1_000],
				peer: [statSync(path.join(peersFolder, `${peer}.tgz`)).size / 1_000],
			}),
		);
	}
	return rows;
}
