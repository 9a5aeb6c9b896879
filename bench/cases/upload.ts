import { mapValues } from 'lodash';
import { bench, beyond, memory, time, type Stage } from '../stage';
import { alternate, compare, type Row } from '../row';

/** A large file that n8n keeps on disk, against the HTTP Request node. */
export async function upload(stage: Stage): Promise<Row[]> {
	const source = bench('file', { size: stage.sized(300, 50) });
	const file = { parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' };
	const request = stage.httpRequest('/chat/upload', {
		contentType: 'multipart-form-data',
		bodyParameters: { parameters: [file] },
	});
	const media = stage.ours({ resource: 'media', operation: 'upload' });
	const runs = await alternate(stage.rounds, {
		base: await stage.publishFlow(source),
		own: await stage.publishFlow(source, media, 1),
		peer: await stage.publishFlow(source, request, 1),
	});
	const { own, peer } = mapValues(runs, (all) => beyond(all, runs.base));
	const peerName = 'HTTP Request, multipart';
	const name = 'upload of 300 MB from disk';
	return [
		...compare(`${name}: time`, time, own, [peerName, peer, 1]),
		...compare(`${name}: memory`, memory, own, [peerName, peer, 0.1]),
	];
}
