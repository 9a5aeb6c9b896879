import { startBed } from './bed';

/** Starts a test bed, tells process ids and folders of its servers as one line of JSON, and stays. */
async function main(): Promise<void> {
	const { main: n8n, workers, webhooks, postgres, redis } = await startBed();
	const others = [...workers, ...webhooks, postgres, redis];
	const pids = [n8n.pid, ...others.map(({ pid }) => pid)];
	const folders = [n8n.userFolder, ...others.map(({ folder }) => folder)];
	console.log(JSON.stringify({ pids, folders }));
}

main().catch((error: unknown) => {
	console.error(error);
	process.exit(1);
});
