/** Makes recipients, builds the payloads of their campaigns and writes them as JSON. */
const { count } = JSON.parse(process.argv[2]);
const items = Array.from({ length: count }, (_, index) => ({
	json: { phone: `+${919_000_000_000 + index}`, name: `Name ${index}`, time: '12:30' },
}));
const start = performance.now();
const recipients = items.map(({ json }) => ({
	phone: json.phone.replace(/[\s+.()-]/g, ''),
	params: [json.name, json.time],
	name: json.name,
}));
let bytes = 0;
for (let index = 0; index < count; index += 10_000) {
	const body = {
		templateName: 'order_update',
		language: 'en',
		recipients: recipients.slice(index, index + 10_000),
	};
	bytes += JSON.stringify(body).length;
}
const ms = performance.now() - start;
console.log(JSON.stringify({ ms, peak: process.resourceUsage().maxRSS * 1024, bytes }));
