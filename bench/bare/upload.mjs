/** Streams a file as multipart/form-data. */
import { createReadStream, statSync } from 'node:fs';
import http from 'node:http';

const { url, apiKey, file } = JSON.parse(process.argv[2]);
const boundary = 'bare-upload-boundary';
const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="film.mp4"\r\ncontent-type: video/mp4\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;
const start = performance.now();
const status = await new Promise((resolve, reject) => {
	const request = http.request(
		url,
		{
			method: 'POST',
			headers: {
				'x-api-key': apiKey,
				'content-type': `multipart/form-data; boundary=${boundary}`,
				'content-length': head.length + statSync(file).size + tail.length,
			},
		},
		(response) => response.resume().on('end', () => resolve(response.statusCode)),
	);
	request.on('error', reject);
	request.write(head);
	const source = createReadStream(file);
	source.on('end', () => request.end(tail));
	source.pipe(request, { end: false });
});
if (status !== 200) throw new Error(`Answered ${status}`);
console.log(JSON.stringify({ ms: performance.now() - start }));
