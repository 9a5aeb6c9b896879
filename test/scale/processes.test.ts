import { startBed, type Bed } from '../support/scale/bed';
let bed: Bed;
beforeAll(async () => {
	bed = await startBed();
});
afterAll(async () => await bed?.close());
test('starts', async () => {
	expect(await bed.main.nodeType('n8n-nodes-messaging-service.messagingService')).toBeDefined();
});
