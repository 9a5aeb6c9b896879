/** Media ids of files that this run of the node has uploaded, by what was uploaded where. */
export interface Uploads {
	get(key: string): string | undefined;
	set(key: string, mediaId: string): void;
}

/** As it is kept with the execution. */
export type KeptUploads = Record<string, { mediaId: string; at: number }>;

/** How long the service keeps a file is not documented (docs/service.md, section 10.41). */
const longestUse = 24 * 60 * 60 * 1_000;

/** Reads and writes uploads in an object that n8n keeps; one that is a day old is made again. */
export const uploadsIn = (kept: KeptUploads): Uploads => ({
	get: (key) => {
		const upload = kept[key];
		return upload && Date.now() - upload.at < longestUse ? upload.mediaId : undefined;
	},
	set: (key, mediaId) => void (kept[key] = { mediaId, at: Date.now() }),
});
