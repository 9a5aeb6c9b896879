const { createRequire } = require('node:module');

const { PollTriggerExecutor } = createRequire(process.argv[1])('n8n-core');

/** What n8n runs at each tick of a polling trigger, by the trigger's name. */
const polls = new Map();

const { create } = PollTriggerExecutor.prototype;
PollTriggerExecutor.prototype.create = function (workflow, node, functions, ...rest) {
	const run = create.call(this, workflow, node, functions, ...rest);
	polls.set(node.name, { run, functions });
	return run;
};

const busy = () => {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1_000;
};

/** Has n8n poll at once, as often as wanted, instead of once a minute. */
class BenchPoll {
	description = {
		displayName: 'Bench Poll',
		name: 'benchPoll',
		group: ['output'],
		version: 1,
		description: 'Polls',
		defaults: { name: 'Bench Poll' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};

	async execute() {
		const { trigger, times } = this.getInputData()[0].json.body;
		const { run, functions } = polls.get(trigger);
		const start = { now: performance.now(), busy: busy() };
		for (let time = 0; time < times; time++) await run();
		const ms = (performance.now() - start.now) / times;
		const busyMs = (busy() - start.busy) / times;
		// n8n gives a trigger its state in a poll only.
		const state = await functions.__runPoll(async () => functions.getWorkflowStaticData('node'));
		return [[{ json: { ms, busyMs, state: JSON.stringify(state).length } }]];
	}
}

module.exports = { BenchPoll };
