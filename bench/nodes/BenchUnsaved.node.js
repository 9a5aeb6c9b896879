const { ownNode } = require('./own');

/**
 * The package's node, told that its workflow was never saved: there it keeps no ledger, because n8n
 * has no row for one. Everything else is the same.
 */
const BenchUnsaved = ownNode('benchUnsaved', (context) => ({
	getWorkflow: () => ({ ...context.getWorkflow(), id: '' }),
}));

module.exports = { BenchUnsaved };
