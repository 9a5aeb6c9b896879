const {
	MessagingServiceTrigger,
} = require('n8n-nodes-messaging-service/dist/nodes/MessagingService/MessagingServiceTrigger.node.js');

/** The package's trigger, but that it checks nothing: what n8n takes for it. */
class BenchTrigger extends MessagingServiceTrigger {
	constructor() {
		super();
		const { icon, ...description } = this.description;
		this.description = { ...description, displayName: 'Bench Trigger', name: 'benchTrigger' };
	}

	async webhook() {
		return { workflowData: [[{ json: this.getBodyData() }]] };
	}
}

module.exports = { BenchTrigger };
