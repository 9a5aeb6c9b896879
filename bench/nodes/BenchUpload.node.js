const { Readable } = require('node:stream');

const boundary = 'bench-upload-boundary';
const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="film.mp4"\r\ncontent-type: video/mp4\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;

/** Streams a file with n8n's request helper and does nothing else: what any node pays for an upload. */
class BenchUpload {
	description = {
		displayName: 'Bench Upload',
		name: 'benchUpload',
		group: ['output'],
		version: 1,
		description: 'Uploads a file',
		defaults: { name: 'Bench Upload' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'messagingServiceApi', required: true }],
		properties: [],
	};

	async execute() {
		const { baseUrl, apiKey } = await this.getCredentials('messagingServiceApi');
		const { id } = this.helpers.assertBinaryData(0, 'data');
		const { fileSize } = await this.helpers.getBinaryMetadata(id);
		const content = await this.helpers.getBinaryStream(id);
		const json = await this.helpers.httpRequest({
			method: 'POST',
			url: `${baseUrl}/chat/upload`,
			headers: {
				'x-api-key': apiKey,
				'content-type': `multipart/form-data; boundary=${boundary}`,
				'content-length': head.length + fileSize + tail.length,
			},
			// Otherwise the whole file is kept in memory, to be sent again elsewhere.
			disableFollowRedirect: true,
			body: Readable.from(framed(content)),
			json: false,
		});
		return [[{ json: { answer: json }, pairedItem: { item: 0 } }]];
	}
}

async function* framed(content) {
	yield Buffer.from(head);
	yield* content;
	yield Buffer.from(tail);
}

module.exports = { BenchUpload };
