import { countBy, omit, property } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Call } from '../../api/client';
import { InputFailure, itemName } from '../../api/failure';
import { lists } from '../../api/lists';
import { clockSlack, readNewest } from '../../api/newest';
import { optionsField } from '../../parameters/options';
import { checkChatPhone } from '../../parameters/phone';
import { fieldAt, type Reader } from '../../parameters/read';
import { momentIn, requiredName } from '../../parameters/schemas';
import type { JoinedOperation, JoinedPlan } from '../../operation';
import { checkColumns } from './rows';
import { createCampaignFields } from './create.fields';
import { deliveriesOf, recipientOf, type Delivery, type OutcomeRow } from './outcome';

/** GET /chat/campaigns, read once for all rows of a campaign (docs/contract.md, section 3). */
export const getOutcome: JoinedOperation = {
	kind: 'joined',
	value: 'getOutcome',
	name: 'Get Outcome',
	action: 'Get the outcome of a bulk campaign',
	description: 'Get for each row of a campaign whether its message was delivered',
	fields: [
		omit(fieldAt(createCampaignFields, 'phoneField'), 'displayOptions'),
		{
			displayName: 'Sent After',
			name: 'sentAfter',
			type: 'dateTime',
			required: true,
			default: '={{ $json.createdAt }}',
			placeholder: 'e.g. 2026-01-31T09:00:00Z',
			description:
				'When the campaign was created: the createdAt of Create. If a crash took that along, use the time at which its execution started, from the list of executions. Older messages do not count.',
		},
		optionsField({ batching: false }),
	],
	plan: (reader, items) => {
		const rows = rowsOf(reader, items);
		const plan: JoinedPlan = {
			request: { endpoint: lists.messages.endpoint },
			items: [...items.keys()],
			facts: {},
			isPerItem: true,
			readAll: async (call) => {
				const deliveries = await find(call, rows);
				return items.map(({ json }, index) => ({ ...json, delivery: deliveries[index] }));
			},
		};
		return {
			plans: [plan],
			finish: (context, output) => {
				const counts = countBy(output, 'json.delivery.status');
				const named = Object.entries(counts).map(([status, count]) => `${count} ${status}`);
				context.addExecutionHints({
					message: `${rows.length} rows: ${named.join(', ')}`,
					location: 'outputPane',
				});
			},
		};
	},
	nameRecord: () => 'a row',
};

/** The rows of all items; throws InputFailure for a field that no item has, or a time that is none. */
function rowsOf(reader: Reader, items: INodeExecutionData[]): OutcomeRow[] {
	const path = reader.same('phoneField', requiredName);
	checkColumns(items, { phoneField: [path] });
	const phoneIn = property<IDataObject, unknown>(path);
	const sinceOf = reader.column('sentAfter', momentIn(reader(0).timeZone));
	return items.map(({ json }, index) => {
		const created = sinceOf(index);
		if (created === undefined) {
			throw new InputFailure(
				`Sent After is empty (${itemName(index)})`,
				'Give the time at which the campaign was created: the createdAt of Create. If a crash took that along, give the time at which its execution started, from the list of executions.',
			);
		}
		const check = checkChatPhone(phoneIn(json));
		// The time is n8n's, that of a record the service's.
		const phone = 'phone' in check ? check.phone : undefined;
		return { phone, since: created - clockSlack, created };
	});
}

async function find(call: Call, rows: OutcomeRow[]): Promise<Delivery[]> {
	const phones = new Set(rows.map(({ phone }) => phone));
	const records = await readNewest(call, lists.messages, {
		limit: Infinity,
		since: rows.reduce((earliest, { since }) => Math.min(earliest, since), Infinity),
		undated: true,
		matches: (record) => phones.has(recipientOf(record)),
	});
	return deliveriesOf(rows, records);
}
