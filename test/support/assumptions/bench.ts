import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Assumptions } from '../../../sandbox';
import type { NodeFailure } from '../core/execute';
import type { SandboxOfTests } from '../core/useSandbox';
import { describedOperations, goodParameters } from '../operations';

/** Something that a user does, and what must come of it under a set of assumptions. */
export interface Case {
	look(bench: SandboxOfTests): Promise<unknown>;
	expected(row: Assumptions): unknown;
}

export const phone = '919812345678';

/** An input item with a file in `data`. */
export const withFile = (
	content = '%PDF',
	{ fileName = 'a.pdf', mimeType = 'application/pdf' } = {},
): INodeExecutionData => ({
	json: { phone: '919876543210' },
	binary: { data: { data: Buffer.from(content).toString('base64'), fileName, mimeType } },
});

/** An operation with the examples of its fields, and what differs from them. */
export function parametersOf(name: string, change: INodeParameters = {}): INodeParameters {
	const found = describedOperations.find((operation) => operation.name === name);
	if (!found) throw new Error(`There is no operation ${name}`);
	return { ...found.choice, ...goodParameters[name], ...change };
}

type Rest = Parameters<SandboxOfTests['run']>[1];

/**
 * What becomes of an operation: `accepted`, the status that the service refuses it with, `unknown` if
 * the service does not say, or `refused` if no request was made.
 */
export async function fate(
	{ run, requests }: SandboxOfTests,
	name: string,
	change: INodeParameters = {},
	rest: Rest = {},
): Promise<unknown> {
	const before = (await requests()).length;
	const result = await run(parametersOf(name, change), { items: [withFile()], ...rest }).catch(
		(error: unknown) => error as NodeFailure,
	);
	if (!(result instanceof Error)) return 'accepted';
	const { statusCode, outcome } = (result.context?.data ?? {}) as IDataObject;
	if (outcome === 'unknown') return outcome;
	return (await requests()).length === before ? 'refused' : (statusCode ?? result.message);
}

/** A case whose outcome is the fate of one operation. */
export const fateCase = (
	name: string,
	change: INodeParameters,
	expected: Case['expected'],
	rest: Rest = {},
): Case => ({ look: async (bench) => await fate(bench, name, change, rest), expected });

/** The fate of a media message: one that is taken without `success` is in doubt. */
export const mediaFate = ({ mediaResponse }: Assumptions, fateOtherwise: unknown): unknown =>
	fateOtherwise === 'accepted' && mediaResponse === 'bare' ? 'unknown' : fateOtherwise;

/** Runs an operation and gives the JSON of its items. */
export const jsonOf = async (
	{ json }: SandboxOfTests,
	name: string,
	change: INodeParameters = {},
	rest: Rest = {},
): Promise<IDataObject[]> =>
	await json(parametersOf(name, change), { items: [withFile()], ...rest });
