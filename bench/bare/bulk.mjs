/**
 * Makes recipients, builds the payloads of their campaigns and writes them as JSON. It does so twice,
 * for n8n's code is warm, too, and gives the second time.
 */
const { count } = JSON.parse(process.argv[2]);

const busy = () => {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1_000;
};

function prepare(items) {
	const recipients = items.map(({ json }) => ({
		phone: json.phone.replace(/[\s+.()-]/g, ''),
		params: [json.name, json.time],
		name: json.name,
	}));
	const bodies = [];
	for (let index = 0; index < count; index += 10_000) {
		const body = {
			templateName: 'order_update',
			language: 'en',
			recipients: recipients.slice(index, index + 10_000),
		};
		bodies.push(Buffer.from(JSON.stringify(body)));
	}
	return bodies.length;
}

function measure() {
	const items = Array.from({ length: count }, (_, index) => ({
		json: { phone: `+${919_000_000_000 + index}`, name: `Name ${index}`, time: '12:30' },
	}));
	const start = busy();
	prepare(items);
	return busy() - start;
}

const { maxRSS } = (measure(), process.resourceUsage());
console.log(JSON.stringify({ busyMs: measure(), peak: maxRSS * 1024 }));
