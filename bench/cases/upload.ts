import {
	bench,
	helperName,
	httpRequest,
	MiB,
	nodesAlone,
	ours,
	publishFlow,
	type Stage,
} from '../stage';
import { alternate, compare, type Row } from '../row';

/** A large file that n8n keeps on disk, against the HTTP Request node and n8n's request helper. */
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
		helper: await publishFlow(stage, source, bench('upload', {}, stage), { expected: 1 }),
	});
	const peerName = 'HTTP Request, multipart';
	const name = 'upload of 300 MB from disk';
	return [
		...compare(
			{ name: `${name}: time`, ours: nodesAlone(runs.own, runs.base) },
			[peerName, nodesAlone(runs.peer, runs.base), 1],
			[helperName, nodesAlone(runs.helper, runs.base), 1.1],
		),
		...compare({ name: `${name}: memory`, unit: 'MiB', ours: MiB(runs.own) }, [
			peerName,
			MiB(runs.peer),
			0.1,
		]),
	];
}
