const {
	MessagingService,
} = require('n8n-nodes-messaging-service/dist/nodes/MessagingService/MessagingService.node.js');

/**
 * The package's own node under another name, in a context of which a few members are replaced.
 *
 * @param change gives the members to replace
 */
exports.ownNode = (name, change) =>
	class extends MessagingService {
		constructor() {
			super();
			const { icon, usableAsTool, ...description } = this.description;
			this.description = { ...description, displayName: name, name };
		}

		async execute() {
			const members = Object.entries(change(this)).map(([key, value]) => [key, { value }]);
			return await super.execute.call(Object.create(this, Object.fromEntries(members)));
		}
	};
