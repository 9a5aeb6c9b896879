import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { node, tempFolder } from '../../harness';
import { bare } from '../bare';
import {
	benchNode,
	besideHelper,
	httpRequest,
	nodesAlone,
	ours,
	outsideN8n,
	publishFlow,
	type FlowRun,
} from '../flow';
import { alternate, toRow, type Row } from '../row';
import type { Stage } from '../stage';

/** A large file that n8n keeps on disk, against the HTTP Request node and a bare stream. */
export async function upload(stage: Stage): Promise<Row[]> {
	const { sandbox, rounds } = stage;
	const size = stage.sized(300, 50);
	const source = node('File', 'n8n-nodes-bench.benchFile', { size });
	const file = path.join(tempFolder, `upload-${size}`);
	writeFile(file, size);
	const request = httpRequest(stage, '/chat/upload', {
		method: 'POST',
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: {
			parameters: [{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' }],
		},
		options: {},
	});
	const flows = {
		helper: await publishFlow(stage, source, [benchNode(stage, 'benchUpload')]),
		base: await publishFlow(stage, source, []),
		own: await publishFlow(stage, source, [
			ours(stage, { resource: 'media', operation: 'upload' }),
		]),
		peer: await publishFlow(stage, source, [request]),
	};
	const url = `${sandbox.baseUrl}/chat/upload`;
	const apiKey = sandbox.keys.production;
	const runs = await alternate<'base' | 'own' | 'peer' | 'helper' | 'bare', FlowRun>(rounds, {
		...flows,
		bare: async () => outsideN8n((await bare<{ ms: number }>('upload', { url, apiKey, file })).ms),
	});
	rmSync(file);
	const memory = (all: FlowRun[]) => all.map((one) => one.memory / 2 ** 20);
	const peerName = 'HTTP Request, multipart';
	const name = 'upload of 300 MB from disk';
	const ms = nodesAlone(runs.own, runs.base);
	const bareMs = runs.bare.map((run) => run.ms);
	return [
		toRow({
			name: `${name}: time`,
			unit: 'ms',
			ours: ms,
			peer: nodesAlone(runs.peer, runs.base),
			peerName,
			target: 1,
			limit: bareMs,
			limitTarget: 1,
		}),
		...besideHelper(`${name}: time`, ms, {
			helper: nodesAlone(runs.helper, runs.base),
		}),
		toRow({
			name: `${name}: memory`,
			unit: 'MiB',
			ours: memory(runs.own),
			peer: memory(runs.peer),
			peerName,
			target: 1,
		}),
	];
}

function writeFile(file: string, size: number): void {
	const handle = openSync(file, 'w');
	for (let index = 0; index < size; index++) writeSync(handle, Buffer.alloc(2 ** 20, index));
	closeSync(handle);
}
