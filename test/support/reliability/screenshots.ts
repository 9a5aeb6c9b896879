import type { IDataObject } from 'n8n-workflow';
import {
	chain,
	code,
	manualTrigger,
	messagingService,
	type Execution,
	type N8nApi,
} from '../../../harness';
import { response, type StandIn } from '../raw/standIn';
import { sender } from './stage';

/** For gigabytes on a busy machine. */
const patienceMs = 600_000;

const signature = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** A picture of so many bytes; what follows the signature is never looked at. */
const picture = (size: number): Buffer =>
	Buffer.concat([signature, Buffer.alloc(size - signature.length, 7)]);

/** What came of sends that all failed with a screenshot. */
interface FailedSends {
	execution: Execution;
	/** The execution as the editor opens it. */
	opened: { status: string; data: string };
	/** Bytes of all that n8n has saved of the node, without the files. */
	bytes: number;
	/** What the next node finds in the one file. */
	last: IDataObject;
}

/** Sends so many texts, each refused with a screenshot of so many bytes, and continues on fail. */
async function failWithScreenshots(
	n8n: N8nApi,
	standIn: StandIn,
	count: number,
	size: number,
): Promise<FailedSends> {
	const credential = await n8n.createCredential('Screenshots', { ...standIn.credential });
	const screenshot = picture(size).toString('base64');
	const refusal = response(
		{ success: false, error: 'No active session', screenshot },
		{ status: '500 Internal Server Error', headers: { 'Content-Type': 'application/json' } },
	);
	standIn.answer = ({ socket }) => socket.write(refusal);

	const all = code(`return Array.from({ length: ${count} }, () => ({ json: {} }));`, 'Items');
	const send = messagingService(
		{ resource: 'chatMessage', operation: 'send', phone: '919876543210', message: 'Hi' },
		credential,
		{ name: sender, onError: 'continueRegularOutput' },
	);
	const look = code(
		`const index = $input.all().findIndex(({ binary }) => binary);
const file = await this.helpers.getBinaryDataBuffer(index, 'screenshot');
return [{ json: { size: file.length, first: file.subarray(0, 4).toString('hex') } }];`,
		'Look',
	);
	const workflow = chain(`Screenshots of ${size}`, [manualTrigger(), all, send, look]);
	const id = await n8n.createWorkflow(workflow);
	const execution = await n8n.run(id, { timeoutMs: patienceMs });
	const [last = {}] = execution.json('Look');
	return {
		execution,
		opened: await n8n.rest('GET', `/executions/${execution.id}`),
		bytes: Buffer.byteLength(JSON.stringify(execution.runs(sender))),
		last,
	};
}

/**
 * Checks that an execution with so many failed sends ends, is saved and can be opened, that of their
 * screenshots of 800 KB the first is a file, and that what is saved of them does not grow with these.
 */
export async function expectScreenshotsKept(
	n8n: N8nApi,
	standIn: StandIn,
	count: number,
): Promise<void> {
	const size = 800_000;
	const large = await failWithScreenshots(n8n, standIn, count, size);
	expect(large.execution.status).toBe('success');
	expect(large.opened.status).toBe('success');
	expect(large.opened.data).toContain('No active session');
	const items = large.execution.output(sender);
	expect(items).toHaveLength(count);
	const [kept, ...others] = items.filter(({ binary }) => binary);
	expect(others).toEqual([]);
	expect(kept?.json.details).toMatchObject({ outcome: 'rejected', screenshot: 'screenshot' });
	expect(kept?.binary?.screenshot).toMatchObject({
		mimeType: 'image/png',
		id: expect.stringMatching(/^filesystem-v2:/) as string,
	});
	for (const { json, binary } of items) {
		if (binary) continue;
		const screenshot = expect.stringContaining('the first of a run becomes a file') as string;
		expect(json.details).toMatchObject({ outcome: 'rejected', screenshot });
	}
	expect(large.last).toEqual({ size, first: '89504e47' });

	const small = await failWithScreenshots(n8n, standIn, count, size / 100);
	expect(small.execution.output(sender)).toHaveLength(count);
	expect(large.bytes / small.bytes).toBeLessThan(1.1);
}
