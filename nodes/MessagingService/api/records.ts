import type { IDataObject } from 'n8n-workflow';
import { excerpt, isJsonObject } from './response';
import { Failure } from './failure';

/**
 * The list inside an answer: under the documented key, or the only array in it or one level down. The documentation does not show every list's wrapping.
 *
 * @throws Failure when the answer holds no list: an empty result would be a guess
 */
export function recordsOf(answer: IDataObject, key: string): IDataObject[] {
	const list = findList(answer, key);
	if (list) return list.filter(isJsonObject);
	throw unknownShape(answer, `a list of ${key}`);
}

/** A success whose body lacks what the documentation promises: showing nothing would be a guess. */
export function unknownShape(answer: IDataObject, missing: string): Failure {
	return new Failure(`The service answered without ${missing}: ${excerpt(answer)}`, {
		outcome: 'unknown',
		statusCode: 200,
		description:
			'Check that the base URL of the credential leads to the service. If it does, update this package: the service may have changed.',
	});
}

function findList(answer: IDataObject, key: string): unknown[] | undefined {
	const named = answer[key];
	if (Array.isArray(named)) return named;
	const lists = Object.values(answer).filter((value) => Array.isArray(value));
	if (lists.length === 1) return lists[0] as unknown[];
	if (lists.length > 1) return undefined;
	const nested = Object.values(answer)
		.filter(isJsonObject)
		.map((value) => findList(value, key))
		.filter((list) => list !== undefined);
	return nested.length === 1 ? nested[0] : undefined;
}
