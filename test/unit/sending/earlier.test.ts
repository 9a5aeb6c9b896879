import type { IDataObject } from 'n8n-workflow';
import { findOperation } from '../../../nodes/MessagingService/actions';
import {
	messageRecords,
	withStatus,
} from '../../../nodes/MessagingService/actions/chatMessage/waitForStatus';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { FakeExecution } from '../../support/unit/fakeNode';
import { message } from '../../support/unit/fakeOperations';
import { fakeRead } from '../../support/unit/fakeRead';
import { crashed } from '../../support/unit/sends';

const begun = 1_800_000_000_000;
const record = (to: string, time = 0, more: IDataObject = {}) => ({
	to,
	id: `${to} ${time}`,
	sentAt: new Date(begun + time).toISOString(),
	...more,
});

const phoneOf = (n: number): string => `4477009000${String(n).padStart(2, '0')}`;

/** Runs in a process that dies with the last request, and again with what the service lists. */
async function recovered(listed: IDataObject[] | undefined, operation: typeof message, own = {}) {
	const run = {
		items: Array.from({ length: 15 }, (_, n) => ({ phone: phoneOf(n) })),
		parameters: { phone: '={{ $json.phone }}', ...own },
	};
	const execution = new FakeExecution({ establishedAt: begun });
	const { retried } = await crashed(operation, run, phoneOf(14), { execution });
	const { output, node } = await retried({}, ({ phone }) => {
		if (phone !== undefined) return {};
		return listed ? { messages: listed, total: listed.length } : { error: 'No' };
	});
	const reads = node.requests.filter(({ method }) => method === 'GET');
	return { told: output.map(({ json }) => json), reads };
}

const phone = phoneOf(0);
const options = { batching: { batch: { batchSize: 1 } } };
const known = { ...message, records: messageRecords };

test.each<[string, IDataObject[] | undefined, IDataObject]>([
	['one record fits', [record(phone), record('1'), record(phone, -1)], { record: record(phone) }],
	['several fit', [record(phone), record(phone, 1)], {}],
	['none fits', [record('1')], {}],
	['the list cannot be read', undefined, {}],
])('what was accepted is told with its record only where %s', async (_, listed, more) => {
	const { told } = await recovered(listed, known, { options });
	expect(told[0]).toEqual({ alreadySent: true, ...more });
});

test('what is in doubt is told with what fits, how to find out, and the list is read once', async () => {
	const listed = [record(phoneOf(14)), record(phone)];
	const { told, reads } = await recovered(listed, known, { options });
	expect(told[14]).toMatchObject({
		error: 'An earlier try of this execution ended while this was being sent: it may have arrived',
		details: { outcome: 'unknown', candidates: [listed[0]] },
	});
	expect((told[14]?.details as IDataObject).description).toMatch(
		/^It may have been carried out and is not repeated by itself\..*Send Again If Unsure is added and saved\.$/,
	);
	expect(reads).toHaveLength(1);
});

test.each([
	['no record is looked for without a list', message, {}, { alreadySent: true }],
	[
		'nor of what another execution may have sent with the key',
		known,
		{ idempotencyKey: '={{ $json.phone }}' },
		{ alreadySent: true, idempotencyKey: phone },
	],
	[
		'but where the operation waits, that it does not wait again',
		{ ...known, plan: (read) => ({ ...known.plan(read), followed: () => ({ ended: false }) }) },
		{ idempotencyKey: '={{ $json.phone }}' },
		{ alreadySent: true, idempotencyKey: phone, ended: false },
	],
] as Array<[string, typeof known, IDataObject, IDataObject]>)(
	'%s',
	async (_, operation, more, expected) => {
		const { told } = await recovered([record(phone)], operation, {
			options: { ...options, ...more },
		});
		expect(told[0]).toEqual(expected);
	},
);

test.each([
	['Delivered', { ended: true }],
	['Read', { ended: false, waitStopped: 'Sent before, and not waited for again.' }],
])('says how what was waited for has gone on, until %s', (waitForStatus, end) => {
	const read = fakeRead(findOperation('chatMessage', 'sendMedia')?.fields ?? [], {
		options: { waitForStatus },
	});
	const { followed } = withStatus(read, { request: { endpoint: endpoints.sendMedia, body: {} } });
	const seen = record(phone, 0, { status: 'Delivered' });
	expect(followed?.(seen)).toEqual({ status: 'Delivered', messageRecord: seen, ...end });
});
