import type { INodeExecutionData } from 'n8n-workflow';

// `={{ $json.order.phone }}` or `={{ $json["Phone number"] }}`: what dragging a field gives.
const fieldExpression = /^=\{\{\s*\$json((?:\.[A-Za-z_]\w*|\["[^"\\]+"\]|\['[^'\\]+'\])+)\s*\}\}$/;

const step = /\.(\w+)|\["([^"]+)"\]|\['([^']+)'\]/g;

/**
 * The keys of an expression that only names a field of the input item, so that its value can be
 * taken from there: evaluating it costs n8n as much as half a request.
 */
export function fieldPath(raw: unknown): string[] | undefined {
	const [, path] = (typeof raw === 'string' && fieldExpression.exec(raw)) || [];
	if (path === undefined) return undefined;
	return [...path.matchAll(step)].map(([, ...keys]) => keys.find(Boolean) ?? '');
}

/** The value at a path if it is text, a number or a boolean; for all else n8n knows better. */
export function plainValue(item: INodeExecutionData | undefined, path: string[]): unknown {
	let value: unknown = item?.json;
	for (const key of path) {
		if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
		value = (value as Record<string, unknown>)[key];
	}
	return ['string', 'number', 'boolean'].includes(typeof value) ? value : undefined;
}
