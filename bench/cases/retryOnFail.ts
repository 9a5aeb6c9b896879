import { text } from 'node:stream/consumers';
import { messagingService } from '../../harness';
import { makeItems, publishFlow } from '../flow';
import { toRow, type Row } from '../row';
import { serve } from '../serve';
import type { Stage } from '../stage';

/**
 * What a further try of a node takes that remembers what it has sent: the service rejects the last
 * of many sends once.
 */
export async function retryOnFail(stage: Stage): Promise<Row[]> {
	const count = stage.sized(10_000, 500);
	const service = await rejecting(String(919_000_000_000 + count - 1));
	try {
		const credential = await stage.n8n.createCredential('Rejecting', {
			baseUrl: service.baseUrl,
			apiKey: 'key',
		});
		const send = messagingService(
			{
				resource: 'chatMessage',
				operation: 'sendTemplate',
				phone: '={{ $json.phone }}',
				templateName: 'order_update',
			},
			credential,
			{ retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		);
		const flow = await publishFlow(stage, makeItems(count), [send]);
		const seconds: number[] = [];
		for (let round = 0; round < Math.min(stage.rounds, 2); round++) {
			service.times.length = 0;
			await flow();
			const [rejected = NaN, accepted = NaN, ...more] = service.times;
			if (more.length > 0) throw new Error('The last send was made more than twice');
			seconds.push((accepted - rejected) / 1_000);
		}
		return [
			toRow({
				name: 'Retry On Fail with 9,999 of 10,000 sends remembered: until the last is sent again',
				unit: 's',
				ours: seconds,
				most: 1,
			}),
		];
	} finally {
		service.close();
	}
}

/** A service that rejects every other request for a recipient, and keeps when these came. */
async function rejecting(phone: string) {
	const times: number[] = [];
	const { url, close } = await serve(async (request, response) => {
		const isLast = (await text(request)).includes(phone);
		if (isLast) times.push(performance.now());
		const isRejected = isLast && times.length % 2 === 1;
		const body = isRejected
			? { error: 'Rejected' }
			: { success: true, status: 'sent', providerMessageId: phone };
		response
			.writeHead(isRejected ? 400 : 200, { 'content-type': 'application/json' })
			.end(JSON.stringify(body));
	});
	return { baseUrl: `${url}/api/v1`, times, close };
}
