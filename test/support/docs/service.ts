import { textOf } from './files';

/** An endpoint as docs/service.md states it. */
interface DocumentedEndpoint {
	method: string;
	/** With `:name` for a path parameter, as code writes it. */
	path: string;
	scope: string;
	/** Whether the service refuses a key without the scope; undefined where nobody knows. */
	isChecked?: boolean;
}

/** The text of a section of docs/service.md. */
function section(number: string): string {
	const [, text = ''] = textOf('docs/service.md').split(`### ${number} `);
	return text.split(/^#/m)[0] ?? '';
}

const asInCode = (path: string): string => path.replace(/\?.*/, '').replace(/\{(\w+)\}/g, ':$1');

/** What a pattern finds in a section, each once. */
const namesIn = (number: string, pattern: RegExp): string[] => [
	...new Set([...section(number).matchAll(pattern)].map(([, name = '']) => name)),
];

/** The paths that a section names. */
const pathsIn = (number: string): string[] => namesIn(number, /`(\/[^`]+)`/g).map(asInCode);

/** The rows of docs/service.md, section 4.1, with what is in 5.4 and 5.5. */
export function documentedEndpoints(): DocumentedEndpoint[] {
	const isChecked = new Map([
		...pathsIn('5.4').map((path): [string, boolean] => [path, true]),
		...pathsIn('5.5').map((path): [string, boolean] => [path, false]),
	]);
	const rows = section('4.1').matchAll(/^\| ([A-Z]+) \| `([^`]+)` \| `([^`]+)` \|/gm);
	return [...rows].map(([, method = '', shown = '', scope = '']) => {
		const path = asInCode(shown);
		return { method, path, scope, isChecked: isChecked.get(path) };
	});
}

/** The event kinds of docs/service.md, section 6.1. */
export const documentedEvents = (): string[] => namesIn('6.1', /`(message\.\w+)`/g);

/** The scopes of docs/service.md, section 2.1. */
export const documentedScopes = (): string[] => namesIn('2.1', /`([\w-]+:[\w-]+)`/g);
