import { bench, httpRequest, MiB, nodesAlone, ours, publishFlow, type Stage } from '../stage';
import { alternate, toRow, type Row } from '../row';

/** A large file that n8n keeps on disk, against the HTTP Request node. */
export async function upload(stage: Stage): Promise<Row[]> {
	const source = bench('file', { size: stage.sized(300, 50) });
	const file = { parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' };
	const request = httpRequest(stage, '/chat/upload', {
		method: 'POST',
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: { parameters: [file] },
		options: {},
	});
	const media = ours(stage, { resource: 'media', operation: 'upload' });
	const runs = await alternate(stage.rounds, {
		base: await publishFlow(stage, source),
		own: await publishFlow(stage, source, media, { expected: 1 }),
		peer: await publishFlow(stage, source, request, { expected: 1 }),
	});
	const peerName = 'HTTP Request, multipart';
	const name = 'upload of 300 MB from disk';
	return [
		toRow({
			name: `${name}: time`,
			unit: 'ms',
			ours: nodesAlone(runs.own, runs.base),
			peer: nodesAlone(runs.peer, runs.base),
			peerName,
			target: 1,
		}),
		toRow({
			name: `${name}: memory`,
			unit: 'MiB',
			ours: MiB(runs.own),
			peer: MiB(runs.peer),
			peerName,
			target: 0.1,
		}),
	];
}
