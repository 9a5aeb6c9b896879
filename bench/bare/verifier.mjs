/** A plain server that verifies the signature of every event. Prints its port; ends with its input. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import http from 'node:http';

const { secret } = JSON.parse(process.argv[2]);
const server = http.createServer((request, response) => {
	const parts = [];
	request.on('data', (part) => parts.push(part));
	request.on('end', () => {
		const body = Buffer.concat(parts);
		const given = Buffer.from(String(request.headers['x-webhook-signature']));
		const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
		const isGood = given.length === expected.length && timingSafeEqual(given, expected);
		response.writeHead(isGood && JSON.parse(body).event ? 200 : 401).end();
	});
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit());
