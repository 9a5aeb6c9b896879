const { createHash } = require('node:crypto');

/** Recipients, as items. */
exports.makeItems = (count, run) =>
	Array.from({ length: count }, (_, index) => ({
		json: {
			phone: `+${919_000_000_000 + index}`,
			digits: String(919_000_000_000 + index),
			name: `Name ${index}`,
			time: '12:30',
			key: `${run} ${index}`,
		},
	}));

/** The bodies of the campaigns for all items, as JSON; checks nothing. */
exports.bodiesOf = (items) => {
	const recipients = items.map(({ json }) => ({
		phone: json.phone.replace(/[\s+.()-]/g, ''),
		params: [json.name, json.time],
		name: json.name,
	}));
	const bodies = [];
	for (let index = 0; index < items.length; index += 10_000) {
		const body = {
			templateName: 'order_update',
			language: 'en',
			recipients: recipients.slice(index, index + 10_000),
		};
		bodies.push(Buffer.from(JSON.stringify(body)));
	}
	return bodies;
};

/** A fingerprint of all items, by which changed ones are known again. */
exports.fingerprintOf = (items) => {
	const all = createHash('sha256');
	for (let index = 0; index < items.length; index += 100) {
		all.update(JSON.stringify(items.slice(index, index + 100).map(({ json }) => json)));
	}
	return all.digest('base64url');
};
