import type { MediaKind } from '../documented';
import type { SeededRandom } from '../random';

/** An uploaded file; its content is not kept. */
export interface Media {
	mediaId: string;
	type: MediaKind;
	mimeType: string;
	filename: string;
	size: number;
}

/** Uploaded files by id. */
export class MediaFiles {
	private readonly byId = new Map<string, Media>();

	constructor(private readonly random: SeededRandom) {}

	add(file: Omit<Media, 'mediaId'>): Media {
		const media = { mediaId: this.random.digits(16), ...file };
		this.byId.set(media.mediaId, media);
		return media;
	}

	find(id: string): Media | undefined {
		return this.byId.get(id);
	}
}
