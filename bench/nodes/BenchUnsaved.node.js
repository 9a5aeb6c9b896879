const {
	MessagingService,
} = require('n8n-nodes-messaging-service/dist/nodes/MessagingService/MessagingService.node.js');

/**
 * The package's node, told that its workflow was never saved: there it keeps no ledger, because n8n
 * has no row for one. Everything else is the same.
 */
class BenchUnsaved extends MessagingService {
	constructor() {
		super();
		const { icon, usableAsTool, ...description } = this.description;
		this.description = { ...description, displayName: 'Unsaved', name: 'benchUnsaved' };
	}

	async execute() {
		const getWorkflow = () => ({ ...this.getWorkflow(), id: '' });
		return await super.execute.call(Object.create(this, { getWorkflow: { value: getWorkflow } }));
	}
}

module.exports = { BenchUnsaved };
