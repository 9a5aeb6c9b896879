import type { INodeProperties } from 'n8n-workflow';
import type { Endpoint } from '../api/endpoints';

/** Names the parameter that fills a field of the service as the editor does. */
export type LabelOf = (endpoint: Endpoint, field: string) => string | undefined;

/**
 * Labels for the fields of requests, so that no text speaks of names that the user has never seen.
 *
 * @param fields the operation's own
 * @param isShown whether a parameter is one of those that the user sees
 */
export function labelsOf(fields: INodeProperties[], isShown: (path: string) => boolean): LabelOf {
	const all = fields.flatMap((field) => [
		{ name: field.name, path: field.name, label: field.displayName },
		...(field.type === 'collection' ? (field.options as INodeProperties[]) : []).map(
			({ name, displayName }) => ({ name, path: `${field.name}.${name}`, label: displayName }),
		),
	]);
	return ({ parameters }, field) => {
		const names = parameters?.[field] ?? [field];
		const known = names.flatMap((name) => all.filter((one) => one.name === name));
		return (known.find(({ path }) => isShown(path)) ?? known[0])?.label;
	};
}
