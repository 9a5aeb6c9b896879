import type { WorkflowJson } from './builders';
import { N8nClient, N8nHttpError, unless } from './client';
import { Execution, type RawExecution } from './execution';
import { waitFor } from './waiting';

/** Runs workflows and reads their executions, over HTTP. */
export class ExecutionApi extends N8nClient {
	/**
	 * Presses "Execute workflow", or "Listen for test event" where the trigger has a test URL.
	 * @param trigger name of the trigger to start from; the workflow's first by default
	 * @returns the execution's id; the execution goes on. While n8n listens, there is none
	 */
	async start(id: string, trigger?: string): Promise<string> {
		const { nodes } = await this.rest<WorkflowJson>('GET', `/workflows/${id}`);
		const name = trigger ?? nodes.find(({ type }) => /trigger$/i.test(type))?.name;
		const body = { triggerToStartFrom: { name } };
		return (await this.rest<{ executionId: string }>('POST', `/workflows/${id}/run`, body))
			.executionId;
	}

	/** Presses "Execute workflow" and waits for the end. */
	async run(id: string, { trigger }: { trigger?: string } = {}): Promise<Execution> {
		return await this.waitForExecution(await this.start(id, trigger));
	}

	async stopListening(id: string): Promise<void> {
		await this.rest('DELETE', `/test-webhook/${id}`);
	}

	/** @throws N8nHttpError 404 when there is none */
	async execution(executionId: string): Promise<Execution> {
		const query = 'includeData=true&ignoreDataSizeLimit=true';
		return new Execution(await this.api('GET', `/executions/${executionId}?${query}`));
	}

	/**
	 * Waits until an execution is over.
	 * @param until another state that ends the wait, e.g. `waiting`
	 */
	async waitForExecution(executionId: string, until?: Execution['status']): Promise<Execution> {
		await waitFor(`execution ${executionId} to finish`, async () => {
			// Without its data, which n8n takes long to read. It is saved a moment after it has started.
			const reading = this.api<RawExecution>('GET', `/executions/${executionId}`);
			const raw = await reading.catch(unless(404));
			return raw && (raw.status === until || new Execution(raw).isOver);
		});
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
	async waitForExecutions(id: string, count: number): Promise<Execution[]> {
		await waitFor(
			`${count} finished executions of workflow ${id}`,
			async () => (await this.executions(id, false)).length >= count,
		);
		return await this.executions(id);
	}

	/** Counts the executions of a workflow that have a status, without reading them. */
	async countExecutions(workflowId: string, status: Execution['status']): Promise<number> {
		return (await this.overview({ workflowId, status: [status] })).count;
	}

	/** Id of the newest execution of a workflow, even while it runs. */
	async newestExecution(workflowId: string): Promise<string> {
		const newest = async () => (await this.overview({ workflowId })).results[0]?.id;
		return await waitFor(`an execution of workflow ${workflowId}`, newest);
	}

	private async overview(filter: {
		workflowId: string;
		status?: Array<Execution['status']>;
	}): Promise<{ count: number; results: Array<{ id: string }> }> {
		const query = new URLSearchParams({ filter: JSON.stringify(filter), limit: '1' });
		return await this.rest('GET', `/executions?${query.toString()}`);
	}

	/**
	 * Presses "Retry" on a failed execution and waits for the retry's end.
	 * @param isCurrent whether with the currently saved workflow instead of the original one
	 * @throws N8nHttpError if n8n rejects it
	 */
	async retry(executionId: string, isCurrent = false): Promise<Execution> {
		return await this.waitForExecution((await this.pressRetry(executionId, isCurrent)).id);
	}

	/**
	 * Presses "Retry" and waits for the retry's beginning: n8n responds only at its end, and in queue
	 * mode sometimes not at all.
	 * @returns the new execution's id
	 */
	async startRetry(executionId: string, isCurrent = false): Promise<string> {
		const { workflowId } = (await this.execution(executionId)).raw;
		const newest = await this.newestExecution(workflowId);
		let rejection: unknown;
		this.pressRetry(executionId, isCurrent).catch((error: unknown) => (rejection = error));
		return await waitFor(`a retry of execution ${executionId} to start`, async () => {
			const id = await this.newestExecution(workflowId);
			if (id === newest && rejection instanceof N8nHttpError) throw rejection;
			return id !== newest && id;
		});
	}

	private async pressRetry(executionId: string, loadWorkflow: boolean): Promise<{ id: string }> {
		return await this.rest('POST', `/executions/${executionId}/retry`, { loadWorkflow });
	}

	/** Presses "Stop" and waits until the execution is over. */
	async stopExecution(executionId: string): Promise<Execution> {
		await this.rest('POST', `/executions/${executionId}/stop`, {});
		return await this.waitForExecution(executionId);
	}
}
