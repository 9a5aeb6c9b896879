// A hook for n8n (EXTERNAL_HOOK_FILES): POST /assistant/:id runs a workflow as n8n's AI Assistant does, by its adapter.
const { createRequire } = require('node:module');

const load = createRequire(process.argv[1]);

async function run(workflowId) {
	const { Container } = load('@n8n/di');
	const { UserRepository } = load('@n8n/db');
	const { InstanceAiAdapterService } = load(
		'../dist/modules/instance-ai/instance-ai.adapter.service.js',
	);
	const user = await Container.get(UserRepository).findOneOrFail({
		where: {},
		relations: ['role'],
	});
	const { executionService } = Container.get(InstanceAiAdapterService).createContext(user);
	return await executionService.run(workflowId);
}

module.exports = {
	n8n: {
		ready: [
			async ({ app }) =>
				await app.post('/assistant/:id', (request, response) => {
					run(request.params.id).then(
						(result) => response.json(result),
						(error) => response.status(500).send(String(error.stack)),
					);
				}),
		],
	},
};
