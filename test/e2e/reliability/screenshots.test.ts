import { attachN8n } from '../../../harness';
import { startStandIn, type StandIn } from '../../support/raw/standIn';
import { expectScreenshotsKept } from '../../support/reliability/screenshots';

let standIn: StandIn;
beforeAll(async () => (standIn = await startStandIn()));
afterAll(async () => await standIn.close());

// 1,500 of them are in test/scale/screenshots.test.ts.
test('150 failed sends with screenshots are saved with the screenshots as files', async () => {
	await expectScreenshotsKept(attachN8n(), standIn, 150);
});
