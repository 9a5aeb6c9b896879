import { gzipSync } from 'node:zlib';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { accepted, fateOf, template } from '../support/raw/runs';
import { response, useStandIn } from '../support/raw/standIn';

const standIn = useStandIn();
const json = { 'Content-Type': 'application/json' };

const paid = { success: true, message: 'नमस्ते 🙂', cost: 1, remainingBalance: 9 };
const phone = '919876543210';
const chat = { resource: 'chatMessage', phone };

/** What each billable endpoint is asked by, and what it answers (docs/service.md, section 4). */
const sends: Array<[string, INodeParameters, IDataObject]> = [
	['/chat/send', { ...chat, operation: 'send', message: 'Hi' }, paid],
	['/chat/send-template', template, { ...accepted, message: 'नमस्ते "Anna" 🙂' }],
	[
		'/chat/send-media',
		{ ...chat, operation: 'sendMedia', mediaType: 'image', mediaUrl: 'https://a.example/a.png' },
		{ success: true, providerMessageId: 'm1' },
	],
	[
		'/chat/bulk-send',
		{
			resource: 'bulkCampaign',
			operation: 'create',
			templateName: 'order_update',
			recipientsSource: 'json',
			recipientsJson: JSON.stringify([{ phone }]),
		},
		{ success: true, campaignId: 'c1', total: 1, status: 'processing' },
	],
	[
		'/voice/call',
		{ resource: 'voiceCall', operation: 'create', to: phone, content: 'text', text: 'Hi' },
		{ success: true, callId: 'v1', status: 'initiated', remainingVoiceMins: 9 },
	],
	[
		'/email/send',
		{
			resource: 'email',
			operation: 'send',
			to: 'anna@example.com',
			subject: 'Hi',
			emailFormat: 'text',
			text: 'Hi',
		},
		{ success: true, messageId: 'e1', remainingEmailBalance: 9 },
	],
];

const chunks = [...'{"success":true,"providerMessageId":"m1"}'].map(
	(character) => `1\r\n${character}\r\n`,
);
const chunked = Buffer.from(
	`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n${chunks.join('')}0\r\nX-Sum: 1\r\n\r\n`,
);
const zipped = response(gzipSync(JSON.stringify(accepted)), {
	headers: { ...json, 'Content-Encoding': 'gzip' },
});
const old = Buffer.from(`HTTP/1.0 200 OK\r\n\r\n${JSON.stringify(accepted)}`);

describe.each<[string, INodeParameters, Buffer]>([
	...sends.map(([path, parameters, body]): [string, INodeParameters, Buffer] => [
		`of ${path} with a length`,
		parameters,
		response(body, { headers: json }),
	]),
	['in chunks with a trailer', template, chunked],
	['compressed', template, zipped],
	['of HTTP/1.0, whose end is that of the connection', template, old],
])('a response %s', (_name, parameters, bytes) => {
	test.each(['ended', 'reset'])('is unknown when it is %s at any of its bytes', async (how) => {
		for (let cut = 0; cut < bytes.length; cut++) {
			standIn().answer = ({ socket, raw }) => {
				if (how === 'ended') socket.end(bytes.subarray(0, cut));
				else socket.write(bytes.subarray(0, cut), () => raw.resetAndDestroy());
			};
			const { outcome } = await fateOf(standIn(), parameters);
			expect([cut, outcome]).toEqual([cut, 'unknown']);
		}
		// None was sent again by itself.
		expect(standIn().arrivals).toHaveLength(bytes.length);
	});

	test('is accepted however it is cut into pieces', async () => {
		const places = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 6 });
		await fc.assert(
			fc.asyncProperty(places, async (drawn) => {
				const ends = [...drawn.sort((a, b) => a - b), bytes.length];
				standIn().answer = async ({ socket }) => {
					socket.setNoDelay(true);
					let start = 0;
					for (const end of ends) {
						socket.write(bytes.subarray(start, end));
						start = end;
						await pause(1);
					}
					socket.end();
				};
				const { outcome } = await fateOf(standIn(), parameters);
				expect(outcome).toBe('accepted');
			}),
			{ numRuns: 30 },
		);
	});
});
