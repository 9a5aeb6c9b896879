import { startN8n, type N8n } from '../../harness';
import { startStandIn, type StandIn } from '../support/raw/standIn';
import { expectScreenshotsKept } from '../support/reliability/screenshots';

let n8n: N8n;
let standIn: StandIn;

beforeAll(async () => {
	standIn = await startStandIn();
	n8n = await startN8n();
});

afterAll(async () => {
	await standIn?.close();
	await n8n?.stop();
});

// Inline, they would make more than the longest text that n8n can save an execution as.
test('1,500 failed sends with screenshots are saved with the screenshots as files', async () => {
	await expectScreenshotsKept(n8n, standIn, 1_500);
});
