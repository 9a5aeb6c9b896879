import type { INode } from 'n8n-workflow';
import { chain, messagingServicePollingTrigger, node, noOp } from '../../harness';
import { benchNode, call, publish, settle, webhook } from '../flow';
import { alternate, toRow, type Row } from '../row';
import { serve, type Served } from '../serve';
import type { Stage } from '../stage';

const pollPath = 'bench-poll';

/** Records that a page of each list has, and the feed. */
const pageSize = 100;

interface Polls {
	/** Milliseconds of one poll. */
	ms: number;
	/** Milliseconds of these that n8n's main thread was busy. */
	busyMs: number;
	/** Characters of the trigger's state as JSON. */
	state: number;
}

/**
 * What a poll takes when nothing has happened, against n8n's own RSS Feed Trigger on a feed with as
 * many entries as a page of the service's lists.
 */
export async function polling(stage: Stage): Promise<Row[]> {
	const { n8n, sandbox } = stage;
	const start = webhook({ path: pollPath, responseMode: 'lastNode' });
	const poll = node('Poll', 'n8n-nodes-bench.benchPoll');
	await publish(n8n, chain('Poll', [start, poll]));
	await sandbox.control.addCalls(1_000);
	await sandbox.control.addMessages(stage.sized(10_000, 1_000));

	const feed = await serveFeed();
	try {
		return await besideFeed(stage, feed.url);
	} finally {
		feed.close();
	}
}

async function besideFeed(stage: Stage, feedUrl: string): Promise<Row[]> {
	const { sandbox } = stage;
	const rssTrigger = node('RSS', 'n8n-nodes-base.rssFeedReadTrigger', { feedUrl });
	const rss = await publishTrigger(stage, rssTrigger);
	const watches = [
		{ what: 'balance', watch: 'balance', path: '/balance' },
		{ what: '1,000 voice calls', watch: 'voiceCalls', path: '/voice/call-logs?pageSize=100' },
		{ what: '10,000 messages', watch: 'messages', path: '/chat/campaigns?limit=100' },
	];
	const rows: Row[] = [];
	for (const { what, watch: kind, path } of watches) {
		const watch = await publishWatch(stage, kind);
		const look = await publishTrigger(stage, lookAt(stage, kind, path));
		await sandbox.control.resetStats();
		const runs = await alternate(stage.rounds, { watch, rss, look });
		const { requests } = await sandbox.control.stats();
		// The other one that asks the service does so once per poll.
		const polls = stage.rounds * timesOf(stage);
		const name = `polling with nothing new, ${what}`;
		rows.push(
			toRow({
				name: `${name}: n8n's time`,
				unit: 'ms',
				ours: runs.watch.map(({ busyMs }) => busyMs),
				peer: runs.rss.map(({ busyMs }) => busyMs),
				peerName: 'RSS Feed Trigger, 100 entries',
				target: 1.1,
				limit: runs.look.map(({ busyMs }) => busyMs),
				limitName: 'credential and request alone',
			}),
			toRow({ name: `${name}: requests`, unit: '', ours: [requests / polls - 1], most: 1 }),
			toRow({
				name: `${name}: state`,
				unit: 'KB',
				ours: runs.watch.map(({ state }) => state / 1_000),
				peer: runs.rss.map(({ state }) => state / 1_000),
				peerName: 'RSS Feed Trigger',
			}),
		);
	}
	return rows;
}

const timesOf = (stage: Stage): number => stage.sized(12, 5);

const lookAt = (stage: Stage, name: string, path: string): INode => ({
	...benchNode(stage, 'benchLook', { path }),
	name: `Look at ${name}`,
});

const publishWatch = async (stage: Stage, watch: string) =>
	await publishTrigger(
		stage,
		messagingServicePollingTrigger({ watch, warningThreshold: 1 }, stage.credential, {
			name: `Watch ${watch}`,
		}),
	);

/** Publishes a polling trigger; gives what polls it several times. */
async function publishTrigger(stage: Stage, trigger: INode): Promise<() => Promise<Polls>> {
	const { n8n } = stage;
	// n8n itself never polls: that would be one request more for a case that comes later.
	const never = { pollTimes: { item: [{ mode: 'custom', cronExpression: '0 0 0 29 2 *' }] } };
	const polled = { ...trigger, parameters: { ...trigger.parameters, ...never } };
	await publish(n8n, chain(trigger.name, [polled, noOp()]));
	const body = { trigger: trigger.name, times: timesOf(stage) };
	return async () => {
		await settle(stage);
		return await stage.profiled(trigger.name, async () => {
			const { status, data } = await call<Polls>(stage, pollPath, body);
			if (status !== 200) throw new Error(`${trigger.name}: ${JSON.stringify(data)}`);
			return data;
		});
	};
}

/** Serves a feed that never changes. */
async function serveFeed(): Promise<Served> {
	const items = Array.from({ length: pageSize }, (_, index) => {
		const date = new Date(Date.UTC(2026, 0, 31) - index * 3_600_000).toUTCString();
		return `<item><title>Message ${index}</title><link>https://blog.example/${index}</link><guid>${index}</guid><pubDate>${date}</pubDate><description>Entry ${index} of the feed</description></item>`;
	});
	const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title><link>https://blog.example/</link><description>A feed</description>${items.join('')}</channel></rss>`;
	return await serve((_, response) => {
		response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(feed);
	});
}
