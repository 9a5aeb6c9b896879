import type { IBinaryData } from 'n8n-workflow';
import type { ApiContext } from './client';
import { Failure } from './failure';

/** Name of the binary property that a failed item has its screenshot in. */
const property = 'screenshot';

/** Characters of a screenshot that stays in `details`: an address or a small picture. */
const longestInline = 2_000;

/** Characters of screenshots of one run that n8n keeps where it holds files in the execution itself. */
const mostInMemory = 32 * 1024 * 1024;

/**
 * Makes the function that keeps the screenshot of a failed `/chat/send` out of the item: as a file,
 * where the item goes on, or as a word about it (docs/service.md, section 4.4). The type of a
 * screenshot is not documented.
 */
export function screenshotKeeper(context: ApiContext): (failure: Failure) => Promise<Failure> {
	let inMemory = 0;
	const keep = async (text: string): Promise<IBinaryData | string> => {
		const size = `${text.length} characters`;
		if (!('continueOnFail' in context) || !context.continueOnFail()) {
			return `not kept (${size}); with On Error set to continue it becomes a file of the item`;
		}
		if (inMemory > mostInMemory) return `not kept (${size}), after many others`;
		const { content, mimeType } = pictureIn(text);
		const file = await context.helpers
			.prepareBinaryData(content, property, mimeType)
			.catch((error: Error) => `not kept (${size}): ${error.message.slice(0, 200)}`);
		if (typeof file === 'object' && file.id === undefined) inMemory += file.data.length;
		return file;
	};

	return async (failure) => {
		const { screenshot } = failure.facts;
		const text = typeof screenshot === 'string' ? screenshot : JSON.stringify(screenshot);
		if (text === undefined || text.length <= longestInline) return failure;
		const kept = await keep(text);
		const isFile = typeof kept === 'object';
		return new Failure(failure.message, {
			...failure,
			facts: { ...failure.facts, screenshot: isFile ? property : kept },
			binary: isFile ? { [property]: kept } : undefined,
		});
	};
}

/** How the pictures that browsers make begin in base64. */
const beginnings: Array<[string, string]> = [
	['iVBORw', 'image/png'],
	['/9j/', 'image/jpeg'],
	['UklGR', 'image/webp'],
];

/** The bytes of a picture in a data URL or in base64; any other text as it is. */
function pictureIn(text: string): { content: Buffer; mimeType: string } {
	const [, named, data = text] = /^data:([\w.+-]+\/[\w.+-]+);base64,(.+)$/s.exec(text) ?? [];
	const known = beginnings.find(([beginning]) => data.startsWith(beginning))?.[1];
	const mimeType = named ?? known;
	return mimeType === undefined
		? { content: Buffer.from(text), mimeType: 'text/plain' }
		: { content: Buffer.from(data, 'base64'), mimeType };
}
