import { property } from 'lodash';
import type { INodeExecutionData } from 'n8n-workflow';
import { InputFailure } from '../../api/failure';
import { fieldAt } from '../../parameters/read';
import { createCampaignFields } from './create.fields';

/** Rows of which a message names the fields. */
const lookedAt = 100;

/** Fields that a message names; the others are counted. */
const namedFields = 20;

/** Characters of a field's name in a message. */
const nameLength = 40;

/**
 * Looks once for each field that a parameter names: a mistyped one would be missing in every row.
 *
 * @param paths names or paths of fields, by parameter; an empty one is none
 * @throws InputFailure for those that no row has
 */
export function checkColumns(items: INodeExecutionData[], paths: Record<string, string[]>): void {
	const missing = Object.entries(paths)
		.map(([parameter, wanted]) => ({
			label: fieldAt(createCampaignFields, parameter).displayName,
			names: wanted.filter((path) => path !== '' && !isThere(items, path)),
		}))
		.filter(({ names }) => names.length > 0);
	if (missing.length === 0) return;
	const names = [...new Set(missing.flatMap((one) => one.names))];
	const more = names.length - namedFields;
	const named = names.slice(0, namedFields).map(short).join(' and no field ');
	const labels = missing.map(({ label }) => label);
	throw new InputFailure(
		`No field ${named}${more > 0 ? ` and ${more} more` : ''}; the rows have ${fieldsOf(items)}`,
		`Correct ${labels.join(' and ')}: capitals and spaces count. A field that is empty in some rows still has to be there.`,
	);
}

function isThere(items: INodeExecutionData[], path: string): boolean {
	const get = property(path);
	return items.some(({ json }) => get(json) !== undefined);
}

function fieldsOf(items: INodeExecutionData[]): string {
	const names = [...new Set(items.slice(0, lookedAt).flatMap(({ json }) => Object.keys(json)))];
	if (names.length === 0) return 'no fields';
	const more = names.length - namedFields;
	return `${names.slice(0, namedFields).map(short).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const short = (name: string): string =>
	name.length > nameLength ? `${name.slice(0, nameLength)}…` : name;
