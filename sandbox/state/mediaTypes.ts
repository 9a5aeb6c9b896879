import { MEDIA_ENDINGS, MEDIA_SUBTYPES, REFUSED_ENDINGS } from '../choices';
import type { MediaKind } from '../documented';

const ENDED_KINDS = ['image', 'video', 'audio'] as const;

function ending(name: string): string {
	return /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** The kind of media that a file name stands for; null for a refused format, undefined for no hint. */
export function kindOfName(name: string): MediaKind | null | undefined {
	const wanted = ending(name);
	if (wanted === '') return undefined;
	if (REFUSED_ENDINGS.includes(wanted)) return null;
	return ENDED_KINDS.find((kind) => MEDIA_ENDINGS[kind].includes(wanted)) ?? 'document';
}

/** The kind of media of an uploaded file; null for an unsupported one (docs/service.md, section 4.6). */
export function kindOfFile(filename: string, mimeType: string): MediaKind | null {
	const [type, subtype = ''] = mimeType.toLowerCase().split('/');
	const kind = ENDED_KINDS.find((one) => one === type);
	if (kind) return MEDIA_SUBTYPES[kind].includes(subtype) ? kind : null;
	const named = kindOfName(filename);
	return named === undefined ? 'document' : named;
}
