import { Process } from './process';

/**
 * The processes of one history after the other. To load the modules of a node takes longer than a
 * history, and what they keep belongs to a node's id: with another id they serve another history.
 */
export class Processes {
	private readonly all: Array<Process['node']> = [];

	private free: Array<Process['node']> = [];

	private histories = 0;

	/** Begins a history; gives the id of its node. */
	begin(): string {
		this.free = [...this.all];
		return `node of history ${++this.histories}`;
	}

	/** A process that knows nothing of the history. */
	start(): Process {
		const isNew = this.free.length === 0;
		const process = new Process(this.free);
		if (isNew) this.all.push(process.node);
		return process;
	}
}
