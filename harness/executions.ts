import type { WorkflowJson } from './builders';
import { N8nClient, N8nHttpError, unless } from './client';
import { Execution, type RawExecution } from './execution';
import { patienceMs, waitFor } from './waiting';

interface RetryOptions {
	/** With the currently saved workflow instead of the original one. */
	isCurrent?: boolean;
}

/** Running workflows and reading what came of it, over HTTP. */
export class ExecutionApi extends N8nClient {
	/**
	 * Presses "Execute workflow".
	 * @param trigger name of the trigger to start from; the workflow's only one when left out
	 * @returns the execution's id; the execution goes on
	 */
	async start(id: string, trigger?: string): Promise<string> {
		const answer = await this.runManually(id, trigger);
		if (answer.executionId !== undefined) return answer.executionId;
		await this.stopListening(id);
		throw new Error('n8n waits for a test event of this trigger: use listen()');
	}

	/** Presses "Execute workflow" and waits for the end. */
	async run(id: string, { trigger }: { trigger?: string } = {}): Promise<Execution> {
		return await this.waitForExecution(await this.start(id, trigger));
	}

	/** Presses "Listen for test event"; the trigger's test URL is registered when this returns. */
	async listen(id: string, trigger?: string): Promise<void> {
		const { waitingForWebhook } = await this.runManually(id, trigger);
		if (waitingForWebhook !== true) throw new Error('This trigger has no test URL: use run()');
	}

	async stopListening(id: string): Promise<void> {
		await this.rest('DELETE', `/test-webhook/${id}`);
	}

	private async runManually(
		id: string,
		trigger?: string,
	): Promise<{ executionId?: string; waitingForWebhook?: boolean }> {
		const name = trigger ?? (await this.onlyTrigger(id));
		return await this.rest('POST', `/workflows/${id}/run`, { triggerToStartFrom: { name } });
	}

	private async onlyTrigger(id: string): Promise<string> {
		const { nodes } = await this.rest<WorkflowJson>('GET', `/workflows/${id}`);
		const triggers = nodes.filter(({ type }) => /trigger$/i.test(type));
		const [first, ...others] = triggers;
		if (first && others.length === 0) return first.name;
		throw new Error(`The workflow has ${triggers.length} triggers: name the one to start from`);
	}

	/** @throws N8nHttpError 404 when there is none */
	async execution(executionId: string): Promise<Execution> {
		const query = 'includeData=true&ignoreDataSizeLimit=true';
		return new Execution(await this.api('GET', `/executions/${executionId}?${query}`));
	}

	/**
	 * Waits until an execution is over.
	 * @param until other states to be content with, e.g. `waiting`
	 */
	async waitForExecution(
		executionId: string,
		timeoutMs = patienceMs,
		until: Array<Execution['status']> = [],
	): Promise<Execution> {
		await waitFor(
			`execution ${executionId} to finish`,
			async () => {
				// Without its data, which n8n takes long to read. It is saved a moment after it has started.
				const raw = await this.api<RawExecution>('GET', `/executions/${executionId}`).catch(
					unless(404),
				);
				const found = raw && new Execution(raw);
				return found && (found.isOver || until.includes(found.status));
			},
			timeoutMs,
		);
		return await this.execution(executionId);
	}

	/** The finished executions of a workflow with their data, oldest first. */
	async executions(id: string, withData = true): Promise<Execution[]> {
		const found: Execution[] = [];
		const data = withData ? '&includeData=true&ignoreDataSizeLimit=true' : '';
		let cursor: string | null = null;
		do {
			const page: { data: RawExecution[]; nextCursor: string | null } = await this.api(
				'GET',
				`/executions?workflowId=${id}${data}&limit=100${cursor ? `&cursor=${cursor}` : ''}`,
			);
			found.push(...page.data.map((raw) => new Execution(raw)));
			cursor = page.nextCursor;
		} while (cursor);
		return found.filter(({ isOver }) => isOver).sort((a, b) => Number(a.id) - Number(b.id));
	}

	/** Waits until a workflow has at least so many finished executions. */
	async waitForExecutions(id: string, count: number, timeoutMs?: number): Promise<Execution[]> {
		await waitFor(
			`${count} finished executions of workflow ${id}`,
			async () => (await this.executions(id, false)).length >= count,
			timeoutMs,
		);
		return await this.executions(id);
	}

	/** Counts the executions of a workflow that have a status, without reading them. */
	async countExecutions(workflowId: string, status: Execution['status']): Promise<number> {
		return (await this.overview({ workflowId, status: [status] })).count;
	}

	/** Id of the newest execution of a workflow, also while it runs. */
	async newestExecution(workflowId: string): Promise<string> {
		return await waitFor(`an execution of workflow ${workflowId}`, async () => {
			const { results } = await this.overview({ workflowId });
			return results[0]?.id;
		});
	}

	private async overview(filter: {
		workflowId: string;
		status?: Array<Execution['status']>;
	}): Promise<{ count: number; results: Array<{ id: string }> }> {
		const query = `filter=${encodeURIComponent(JSON.stringify(filter))}&limit=1`;
		return await this.rest('GET', `/executions?${query}`);
	}

	/**
	 * Presses "Retry" on a failed execution and waits for the retry's end.
	 * @throws N8nHttpError when n8n refuses it
	 */
	async retry(executionId: string, options: RetryOptions = {}): Promise<Execution> {
		const { id } = await this.pressRetry(executionId, options);
		return await this.waitForExecution(id);
	}

	/**
	 * Presses "Retry" and waits for the retry's beginning: n8n answers only at its end, and in queue
	 * mode sometimes not at all.
	 * @returns the new execution's id
	 */
	async startRetry(executionId: string, options: RetryOptions = {}): Promise<string> {
		const { raw } = await this.execution(executionId);
		const newest = await this.newestExecution(raw.workflowId);
		let refusal: unknown;
		this.pressRetry(executionId, options).catch((error: unknown) => (refusal = error));
		return await waitFor(`a retry of execution ${executionId} to start`, async () => {
			const id = await this.newestExecution(raw.workflowId);
			if (id !== newest) return id;
			if (refusal instanceof N8nHttpError) throw refusal;
			return undefined;
		});
	}

	private async pressRetry(
		executionId: string,
		{ isCurrent = false }: RetryOptions,
	): Promise<{ id: string }> {
		const body = { loadWorkflow: isCurrent };
		return await this.rest('POST', `/executions/${executionId}/retry`, body);
	}

	/** Presses "Stop" and waits until the execution is over. */
	async stopExecution(executionId: string): Promise<Execution> {
		await this.rest('POST', `/executions/${executionId}/stop`, {});
		return await this.waitForExecution(executionId);
	}
}
