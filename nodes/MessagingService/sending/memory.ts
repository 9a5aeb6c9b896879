import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import { uploadsIn, type KeptUploads, type Uploads } from './uploads';

/** A send whose outcome stayed unknown, as it is kept. */
interface Unknown {
	message: string;
	description: string;
	statusCode: number | null;
	facts: IDataObject;
	/** Fingerprint of what was sent. */
	content: string;
}

/** What is known of a send that an earlier try made. */
type Remembered = Sent & ({ response: IDataObject } | { unknown: Unknown });

/** What a send was made from. */
export interface Sent {
	/** Fingerprint of the input items. */
	input: string;
	/** Added to the output. */
	facts?: IDataObject;
	/** The input items of a joined send, in short, where they are not its rows. */
	items?: string;
}

const contextKey = 'sends';
const divisionsKey = 'divisions';
const uploadsKey = 'uploads';

/**
 * Remembers which sends of an execution were accepted or may have been, so that a retry of the node
 * does not send them twice (docs/contract.md, section 4.3 and 4.4). A send is known by its
 * place and its input items; what its expressions evaluate to does not matter.
 *
 * It lives in the node's context, which n8n keeps across "Retry On Fail" and saves with a failed
 * execution. Each run of the node in an execution (a loop) has a memory of its own, and so has each
 * account.
 */
export class Memory {
	private readonly runs: Record<string, Record<string, Remembered>>;

	private readonly run: Record<string, Remembered>;

	private readonly allDivisions: Record<string, string[]>;

	/** What was uploaded for the sends of this run. */
	readonly uploads: Uploads;

	private readonly allUploads: Record<string, KeptUploads>;

	/**
	 * @param name of the run and the account
	 */
	constructor(
		context: IExecuteFunctions,
		private readonly name: string,
	) {
		const stored = context.getContext('node');
		stored[contextKey] ??= {};
		this.runs = stored[contextKey] as Record<string, Record<string, Remembered>>;
		this.run = this.runs[name] ??= {};
		stored[divisionsKey] ??= {};
		this.allDivisions = stored[divisionsKey] as Record<string, string[]>;
		this.allUploads = (stored[uploadsKey] ??= {}) as Record<string, KeptUploads>;
		this.uploads = uploadsIn((this.allUploads[name] ??= {}));
	}

	/**
	 * The response to an accepted send of the same input.
	 *
	 * @param place of the send in the run
	 * @param input fingerprint of its input items
	 */
	accepted(place: string, input: string): IDataObject | undefined {
		const remembered = this.recall(place, input);
		return remembered && 'response' in remembered ? remembered.response : undefined;
	}

	/** The failure of a send of the same input whose outcome stayed unknown. */
	unknown(place: string, input: string): Failure | undefined {
		const remembered = this.recall(place, input);
		return remembered && 'unknown' in remembered ? failureOf(remembered.unknown) : undefined;
	}

	/**
	 * The failure of a send of the same content in any run of the node in this execution.
	 *
	 * @param content gives the fingerprint of what is about to be sent; asked only if there is one to
	 * compare with
	 */
	unknownElsewhere(content: () => string): Failure | undefined {
		const unknown = Object.entries(this.runs)
			.filter(([name]) => name !== this.name)
			.flatMap(([, run]) => Object.values(run))
			.flatMap((remembered) => ('unknown' in remembered ? [remembered.unknown] : []));
		if (unknown.length === 0) return undefined;
		const print = content();
		const same = unknown.find((one) => one.content === print);
		return same && failureOf(same);
	}

	/** Every send of this run that went out or may have. */
	places(): Array<Sent & { place: string; isUnknown: boolean }> {
		return Object.entries(this.run).map(([place, sent]) => ({
			place,
			...sent,
			isUnknown: 'unknown' in sent,
		}));
	}

	rememberAccepted(place: string, sent: Sent, response: IDataObject): void {
		this.run[place] = { ...sent, response };
	}

	rememberUnknown(
		place: string,
		sent: Sent,
		{ message, description, statusCode, facts }: Failure,
		content: string,
	): void {
		this.run[place] = { ...sent, unknown: { message, description, statusCode, facts, content } };
	}

	/** Names of the divisions of rows whose requests are remembered here; see divisions.ts. */
	get divisions(): string[] {
		return this.allDivisions[this.name] ?? [];
	}

	rememberDivision(name: string): void {
		this.allDivisions[this.name] = [...this.divisions, name];
	}

	/** Forgets what was accepted in this run: n8n has the responses, and no retry will ask for them. */
	clear(): void {
		for (const [place, remembered] of Object.entries(this.run)) {
			if ('response' in remembered) delete this.run[place];
		}
		if (Object.keys(this.run).length === 0) delete this.runs[this.name];
		delete this.allDivisions[this.name];
		delete this.allUploads[this.name];
	}

	private recall(place: string, input: string): Remembered | undefined {
		const remembered = this.run[place];
		return remembered?.input === input ? remembered : undefined;
	}
}

const failureOf = ({ message, description, statusCode, facts }: Unknown): Failure =>
	new Failure(message, { outcome: 'unknown', description, statusCode, facts });
