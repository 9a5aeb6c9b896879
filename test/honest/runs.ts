import { sortBy, times } from 'lodash';
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { failureOr } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';
import { isEmail, type Carrier } from './carriers';

/** A run by hand, and one in production. */
export const modes: WorkflowExecuteMode[] = ['manual', 'webhook'];

/** One of both by turns, where every second input is enough. */
export const modeOf = (index: number): WorkflowExecuteMode => (index % 2 ? 'webhook' : 'manual');

/** Items of a list, at least. */
export const many = 40;

/** A list with all inputs, some more than once. */
export const listOf = <T>(all: T[]): T[] =>
	times(Math.max(many, all.length), (index) => all[index % all.length] as T);

/** The recipient of an input, by its place. */
export const person = (index: number) => ({
	phone: String(447_700_900_000 + index),
	to: `anna${index}@host.example`,
});

export const itemOf = (text: string, index: number): INodeExecutionData => ({
	json: { ...person(index), text },
});

/** What reached a recipient. */
export type Sent = [recipient: unknown, text: unknown];

export const ordered = (all: Sent[]): Sent[] =>
	sortBy(all, ([recipient, text]) => `${String(recipient)} ${String(text)}`);

/** What must reach the recipients of some texts. */
export const expected = (carrier: Carrier, all: string[]): Sent[] =>
	ordered(
		all.map((text, index) => [isEmail(carrier) ? person(index).to : person(index).phone, text]),
	);

type Rest = NonNullable<Parameters<ReturnType<typeof useSandbox>['run']>[1]>;

/** An execution with one run of the node. */
export interface Run extends Rest {
	parameters: INodeParameters;
}

/** A sandbox with plenty of balance. */
export function useHonest() {
	const sandbox = useSandbox();
	beforeEach(async () => {
		const balances = { chatBalance: 1e9, emailBalance: 1e9, voiceMins: 1e9 };
		await sandbox.control.setAccount(balances);
	});
	return Object.assign(sandbox, {
		/** Runs all, one after the other; returns what failed. */
		failuresOf: async (runs: Run[]): Promise<string[]> => {
			const failures: string[] = [];
			for (const { parameters, ...rest } of runs) {
				const result = await failureOr(sandbox.run(parameters, rest));
				if (!(result instanceof Error)) continue;
				failures.push(`${JSON.stringify(rest.items?.[0]?.json)}: ${result.message}`);
			}
			return failures;
		},
		/** What reached the recipients. */
		arrived: async (read: Carrier['read']): Promise<Sent[]> => {
			const requests = await sandbox.requests();
			const posts = requests.filter(({ method }) => method === 'POST');
			return ordered(posts.flatMap(({ body }) => read(body as IDataObject)));
		},
	});
}
