/** Waits for the answers to bulk campaigns, one after another, each on a connection of its own. */
import http from 'node:http';
import axios from 'axios';

const { url, apiKey, count } = JSON.parse(process.argv[2]);
const headers = { 'x-api-key': apiKey, 'Content-Type': 'application/json' };
const recipients = Array.from({ length: 10_000 }, (_, index) => ({
	phone: String(919_000_000_000 + index),
	params: [`Name ${index}`, '12:30'],
	name: `Name ${index}`,
}));
const payload = { templateName: 'order_update', language: 'en', recipients };
const body = Buffer.from(JSON.stringify(payload));
const send = async () => {
	const httpAgent = new http.Agent();
	await axios.post(url, body, { headers, httpAgent, proxy: false, maxBodyLength: Infinity });
};
// The first request also loads what all need.
await send();
const start = performance.now();
for (let sent = 0; sent < count; sent += 10_000) await send();
console.log(JSON.stringify({ ms: performance.now() - start }));
