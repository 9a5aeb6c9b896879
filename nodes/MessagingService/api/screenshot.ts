import type { IExecuteFunctions } from 'n8n-workflow';
import { Failure } from './failure';

/** Name of the binary property that a failed item has its screenshot in. */
const property = 'screenshot';

/** Characters of a screenshot that stays in `details`: an address or a small picture. */
const longestInline = 2_000;

/** The part of n8n's contexts that this needs; only a run has it whole. */
type Context = object | Pick<IExecuteFunctions, 'continueOnFail' | 'helpers'>;

/**
 * Makes the function that keeps the screenshot of a failed `/chat/send` out of the item: the first
 * of a run becomes a file where the item goes on, for all others `details` says that they were left
 * out (docs/service.md, section 4.4). The type of a screenshot is not documented.
 */
export function screenshotKeeper(context: Context): (failure: Failure) => Promise<Failure> {
	let isFirst = true;
	return async (failure) => {
		const { screenshot } = failure.facts;
		const text = typeof screenshot === 'string' ? screenshot : JSON.stringify(screenshot);
		if (text === undefined || text.length <= longestInline) return failure;
		const leftOut = (why: string) =>
			new Failure(failure.message, {
				...failure,
				facts: { ...failure.facts, screenshot: `left out (${text.length} characters): ${why}` },
			});
		if (!('continueOnFail' in context) || !context.continueOnFail()) {
			return leftOut(
				'with On Error set to continue, the first of a run becomes a file of its item',
			);
		}
		if (!isFirst) return leftOut('the first of the run is a file of its item');
		isFirst = false;
		try {
			const [content, mimeType] = fileIn(text);
			const file = await context.helpers.prepareBinaryData(content, property, mimeType);
			return new Failure(failure.message, {
				...failure,
				facts: { ...failure.facts, screenshot: property },
				binary: { [property]: file },
			});
		} catch (error) {
			return leftOut((error as Error).message.slice(0, 200));
		}
	};
}

/** How the pictures that browsers make begin in base64. */
const beginnings: Array<[string, string]> = [
	['iVBORw', 'image/png'],
	['/9j/', 'image/jpeg'],
	['UklGR', 'image/webp'],
];

/** The bytes of a picture in a data URL or in base64, and its type; any other text as it is. */
function fileIn(text: string): [Buffer, string] {
	const [, named, data = text] = /^data:([\w.+-]+\/[\w.+-]+);base64,(.+)$/s.exec(text) ?? [];
	const type = named ?? beginnings.find(([beginning]) => data.startsWith(beginning))?.[1];
	return type === undefined
		? [Buffer.from(text), 'text/plain']
		: [Buffer.from(data, 'base64'), type];
}
