import fc from 'fast-check';
import registry from 'mime-db/db.json';
import path from 'node:path';
import { fakeFile, firstRequest } from '../../support/unit/fakeRead';

const sendAs = { phone: '447700900210', mediaType: 'auto' };

/** The media type as which a file goes out, or what is wrong. */
async function typeOf(fileName: string, mimeType: string, mediaType = 'auto'): Promise<unknown> {
	const file = { ...fakeFile(), fileName, mimeType };
	const parameters = { ...sendAs, mediaType, mediaSource: 'binary' };
	const { body } = await firstRequest('chatMessage.sendMedia', parameters, { file });
	return body?.type;
}

async function typeOfUrl(mediaUrl: string): Promise<unknown> {
	const parameters = { ...sendAs, mediaSource: 'url', mediaUrl };
	return (await firstRequest('chatMessage.sendMedia', parameters)).body?.type;
}

/** The documented formats of docs/service.md, section 4.6. */
const formats = {
	image: ['jpg', 'jpeg', 'png', 'gif', 'webp'],
	video: ['mp4', 'mkv', 'avi'],
	audio: ['mp3', 'wav', 'ogg', 'm4a'],
};
const kinds = Object.keys(formats) as Array<keyof typeof formats>;
const kindOf = (endings: string[]) =>
	kinds.find((kind) => formats[kind].some((one) => endings.includes(one))) ?? 'document';

const registered = Object.entries(registry as Record<string, { extensions?: string[] }>).map(
	([mimeType, { extensions = [] }]) => ({ mimeType, endings: extensions }),
);

test('Automatic finds the documented formats among all registered MIME types', async () => {
	const differing: Record<string, unknown> = {};
	for (const { mimeType, endings } of registered) {
		const type = await typeOf('file', mimeType);
		if (type !== kindOf(endings)) differing[mimeType] = type;
	}
	expect(differing).toEqual({
		// MP4 with sound or with pictures: the ending decides.
		'application/mp4': 'document',
		// Other names of documented formats, for which the registry has no ending.
		'application/ogg': 'audio',
		'audio/opus': 'audio',
		'audio/vnd.wave': 'audio',
		'audio/vorbis': 'audio',
		'image/pjpeg': 'image',
		'video/matroska': 'video',
	});
});

// Names that programs use, which are not registered.
test.each([
	['image', ['image/jpg', 'image/PNG', 'image/x-png', 'image/jpeg; charset=binary']],
	['video', ['application/x-matroska', 'video/mkv', 'video/avi', 'application/x-troff-msvideo']],
	['video', ['video/x-matroska; codecs=avc1', 'video/msvideo', 'video/vnd.avi']],
	[
		'audio',
		[
			'audio/mpeg3',
			'audio/x-mpeg-3',
			'audio/x-mp3',
			'audio/mpg',
			'audio/x-pn-wav',
			'application/x-ogg',
		],
	],
	['audio', ['audio/ogg; codecs=opus', 'audio/x-vorbis+ogg', 'audio/m4a']],
	[
		'document',
		['video/quicktime', 'audio/aac', 'audio/amr', 'image/heic', 'text/x', 'image/svg+xml'],
	],
])('Automatic sends as %s: %j', async (type, all) => {
	for (const mimeType of all)
		expect([mimeType, await typeOf('a', mimeType)]).toEqual([mimeType, type]);
});

const undeclared = [
	...['application/octet-stream', 'binary/octet-stream', 'application/x-octet-stream'],
	...['application/force-download', 'application/x-download', 'application/x-binary', '*/*'],
	...['application/octet-stream; charset=binary', 'unknown/unknown', 'image/*', 'jpeg'],
];

test('of the registered MIME types one alone declares nothing', async () => {
	const types = registered.map(({ mimeType }) => mimeType);
	const found = await Promise.all(types.map(async (one) => await typeOf('a.png', one)));
	const isImage = (one: string) => one.startsWith('image/');
	const silent = types.filter((one, index) => found[index] === 'image' && !isImage(one));
	expect(silent).toEqual(['application/mp4', 'application/octet-stream']);
});

test.each(undeclared)(
	'%s declares nothing: the ending counts, and the choice',
	async (mimeType) => {
		expect(await typeOf('Rose 1.JPG', mimeType)).toBe('image');
		expect(await typeOf('list.csv', mimeType)).toBe('document');
		expect(await typeOf('rose', mimeType)).toBe('document');
		for (const kind of ['image', 'video', 'audio', 'document'])
			expect(await typeOf('rose', mimeType, kind)).toBe(kind);
	},
);

test('an ending means the same in the name of a file and in a URL, and what its MIME type means', async () => {
	const differing: string[] = [];
	for (const { mimeType, endings } of registered)
		for (const ending of endings) {
			const type = await typeOf(`a.${ending}`, 'application/octet-stream');
			expect(await typeOfUrl(`https://host.example/b/a.${ending}?c=d.e`)).toBe(type);
			if (type !== (await typeOf('a', mimeType))) differing.push(ending);
		}
	// Relatives of the documented formats, and the endings of application/mp4.
	const mpeg = ['mpga', 'mp2', 'mp2a', 'm2a', 'm3a'];
	const others = ['ogx', 'mp4a', 'm4b', 'spx', 'mp4v', 'mpg4', 'mk3d', 'mks', 'mp4'];
	expect([...new Set(differing)].sort()).toEqual([...mpeg, ...others].sort());
});

test('only a URL without an ending says nothing', async () => {
	const name = fc.stringMatching(/^[\w.~-]{0,12}$/);
	await fc.assert(
		fc.asyncProperty(fc.array(name, { maxLength: 4 }), async (names) => {
			const { pathname, href } = new URL(`https://host.example/${names.join('/')}`);
			const type = typeOfUrl(`${href}?a=b.png`);
			if (/\.[^.]+$/.test(path.posix.basename(pathname)) && !pathname.endsWith('/'))
				expect(await type).toBe(kindOf([path.posix.extname(`a${pathname}`).slice(1)]));
			else await expect(type).rejects.toThrow(`can't be determined from the URL ${href}`);
		}),
	);
});

test.each([
	['image', 'video/mp4', 'Video'],
	['audio', 'text/plain; charset=utf-8', 'Document'],
	['video', 'video/quicktime', 'Document'],
	['audio', 'audio/aac', 'Document'],
	['image', 'image/heic', 'Document'],
	['video', 'application/ogg', 'Audio'],
])('a file as %s that is %s should be %s', async (mediaType, mimeType, right) => {
	await expect(typeOf('invoice.pdf', mimeType, mediaType)).rejects.toMatchObject({
		message: expect.stringMatching(/^The file "invoice.pdf" is ".*cannot be sent as/) as string,
		description: `Set 'Media Type' to ${right}.`,
	});
	expect(await typeOf('invoice.pdf', mimeType, 'document')).toBe('document');
});
