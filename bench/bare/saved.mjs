/** How many bytes n8n has saved of the executions of a workflow; null as long as one is not over. */
import { DatabaseSync } from 'node:sqlite';

const { database, workflowId } = JSON.parse(process.argv[2]);
const { bytes } = new DatabaseSync(database, { readOnly: true })
	.prepare(
		`SELECT SUM(LENGTH(CAST(data AS BLOB))) AS bytes FROM execution_data
		JOIN execution_entity ON execution_entity.id = executionId
		WHERE execution_entity.workflowId = ? AND finished`,
	)
	.get(workflowId);
console.log(JSON.stringify({ bytes }));
