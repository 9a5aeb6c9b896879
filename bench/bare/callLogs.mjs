/** Reads all pages of the call log, five at once after the first has told how many there are. */
import http from 'node:http';
import axios from 'axios';

const { url, apiKey } = JSON.parse(process.argv[2]);
const read = async (page) => {
	const { data } = await axios.get(url, {
		params: { page, pageSize: 100 },
		headers: { 'x-api-key': apiKey },
		httpAgent: new http.Agent(),
		proxy: false,
	});
	return data;
};
const start = performance.now();
const first = await read(1);
const pages = Math.ceil(first.pagination.total / 100);
let records = first.data.length;
let next = 2;
await Promise.all(
	Array.from({ length: 5 }, async () => {
		while (next <= pages) {
			const { data } = await read(next++);
			records += data.length;
		}
	}),
);
console.log(JSON.stringify({ ms: performance.now() - start, records }));
