/** Sends requests in a loop, `atOnce` under way, each on a connection of its own as n8n does. */
import http from 'node:http';
import axios from 'axios';

const { url, apiKey, count, atOnce } = JSON.parse(process.argv[2]);
const headers = { 'x-api-key': apiKey };
let next = 0;
const start = performance.now();
await Promise.all(
	Array.from({ length: atOnce }, async () => {
		while (next < count) {
			const phone = String(919_000_000_000 + next++);
			const body = { phone, templateName: 'order_update', language: 'en' };
			const httpAgent = new http.Agent();
			const { status } = await axios.post(url, body, { headers, httpAgent, proxy: false });
			if (status !== 200) throw new Error(`Answered ${status}`);
		}
	}),
);
console.log(JSON.stringify({ ms: performance.now() - start }));
