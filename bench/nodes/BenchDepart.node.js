const clock = require('./clock');
const { ownNode } = require('./own');

/** The package's node, which notes when its first request leaves. */
const BenchDepart = ownNode('benchDepart', ({ helpers }) => ({
	helpers: {
		...helpers,
		async httpRequestWithAuthentication(...args) {
			clock.depart();
			return await helpers.httpRequestWithAuthentication.apply(this, args);
		},
	},
}));

module.exports = { BenchDepart };
