import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { useBinaryMode } from '../support/core/binaryData';
import { execute } from '../support/core/execute';
import type { NodeFailure } from '../support/core/useSandbox';
import { response, useStandIn } from '../support/raw/standIn';

const standIn = useStandIn();
const text: INodeParameters = {
	resource: 'chatMessage',
	operation: 'send',
	phone: '919876543210',
	message: 'Hi',
};
const continues = { onError: 'continueRegularOutput' as const };
const folder = mkdtempSync(path.join(os.tmpdir(), 'screenshots-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A picture of so many bytes; what follows the signature is never looked at. */
const picture = (size: number) =>
	Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(size, 7)]);

function answerWith(screenshot: unknown): void {
	const bytes = response({ success: false, error: 'No session', screenshot }, { status: '500 No' });
	standIn().answer = ({ socket }) => socket.end(bytes);
}

const run = async (count: number) =>
	await execute({
		credential: standIn().credential,
		parameters: text,
		items: Array.from({ length: count }, () => ({ json: {} })),
		node: continues,
	});

async function failure(): Promise<NodeFailure> {
	const result = await execute({ credential: standIn().credential, parameters: text }).catch(
		(error: unknown) => error as NodeFailure,
	);
	if (result instanceof Error) return result;
	throw new Error('Expected a failure');
}

describe.each(['filesystem', 'default'] as const)('with files kept in mode %s', (mode) => {
	beforeAll(async () => await useBinaryMode(mode, folder));

	const big = picture(800_000);
	test.each<[string, unknown, Buffer | string, string]>([
		['base64', big.toString('base64'), big, 'image/png'],
		['a data URL', `data:image/png;base64,${big.toString('base64')}`, big, 'image/png'],
		['text', 'no picture! '.repeat(1_000), 'no picture! '.repeat(1_000), 'text/plain'],
		[
			'another value',
			{ data: Array(2_000).fill(1) },
			JSON.stringify({ data: Array(2_000).fill(1) }),
			'text/plain',
		],
	])(
		'a screenshot as %s becomes a file of the failed item',
		async (_name, value, content, type) => {
			answerWith(value);
			const [item] = await run(1);
			expect(item?.json).toMatchObject({
				error: 'No session',
				details: { outcome: 'rejected', statusCode: 500, screenshot: 'screenshot' },
			});
			expect(JSON.stringify(item?.json).length).toBeLessThan(1_000);
			expect(item?.binary?.screenshot).toMatchObject({ mimeType: type });
			if (mode === 'default') {
				const kept = Buffer.from(item?.binary?.screenshot?.data ?? '', 'base64');
				expect(kept.equals(Buffer.from(content))).toBe(true);
			} else {
				expect(item?.binary?.screenshot?.id).toMatch(/^filesystem-v2:/);
			}
		},
	);

	test.each([
		['an address', 'https://dashboard.example/screenshots/latest.png'],
		['a small picture', picture(1_000).toString('base64')],
		['none', null],
	])('%s stays where it is', async (_name, value) => {
		answerWith(value);
		const [item] = await run(1);
		expect(item?.json).toMatchObject({ details: { screenshot: value } });
		expect(item).not.toHaveProperty('binary');
	});

	test('a node that stops says that there was one', async () => {
		answerWith(big.toString('base64'));
		const error = await failure();
		expect(error.context.data?.screenshot).toMatch(/^left out .* On Error/);
		expect(JSON.stringify(error).length).toBeLessThan(5_000);
	});
});

test('the first picture of a run becomes a file; the others are said to be left out', async () => {
	await useBinaryMode('default', folder);
	answerWith(picture(3_000_000).toString('base64'));
	const items = await run(20);
	expect(items.filter(({ binary }) => binary)).toHaveLength(1);
	for (const { json, binary } of items) {
		const said = binary ? 'screenshot' : expect.stringMatching(/^left out \(\d+ characters\)/);
		expect(json.details).toMatchObject({ outcome: 'rejected', screenshot: said });
	}
	expect(JSON.stringify(items).length).toBeLessThan(5_000_000);
});

test('a file that cannot be written takes nothing away from the failure', async () => {
	const place = path.join(folder, 'taken');
	await useBinaryMode('filesystem', place);
	// What is a file cannot be a folder.
	rmSync(place, { recursive: true, force: true });
	writeFileSync(place, '');
	answerWith(picture(10_000).toString('base64'));
	const [item] = await run(1);
	expect(item?.json).toMatchObject({
		error: 'No session',
		details: { outcome: 'rejected', screenshot: expect.stringMatching(/^left out/) as string },
	});
});
