import { sumBy } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';
import { accountOf, unknownShape } from '../api/response';
import type { Call } from '../api/client';
import { endpoints } from '../api/endpoints';
import { Failure } from '../api/failure';
import type { Operation } from '../operation';
import type { Reader } from '../parameters/read';
import { flag, oneOf, wholeNumber } from '../parameters/schemas';
import type { Pacing } from './flow';
import type { Job } from '../sending/job';

/** The options that hold for all items of a run. */
export interface Settings extends Pacing {
	/** Milliseconds. */
	timeout: number;
	resendUnknown: boolean;
	/** Sends of the node in one execution. */
	maxSends: number;
	/** The price by which the balance is checked first; none without the check. */
	price?: 'amount' | 'marketing' | 'utility';
}

const atLeastZero = wholeNumber(0);
const atLeastOne = wholeNumber(1);

/** Reads `options` as far as the operation has them; throws InputFailure, also where items differ. */
export function readSettings(operation: Operation, reader: Reader): Settings {
	const { same: read } = reader;
	const { has } = reader(0);

	// Without the option requests go out one after the other, or there is only one.
	const isPaced = optionOf(operation, 'batching') !== undefined;
	return {
		batchSize: isPaced ? read('options.batching.batch.batchSize', atLeastOne) : 1,
		batchInterval: isPaced ? read('options.batching.batch.batchInterval', atLeastZero) : 0,
		timeout: read('options.timeout', atLeastOne),
		resendUnknown: operation.billable === true && read('options.resendUnknown', flag),
		maxSends:
			operation.billable && has('options.maxSends')
				? read('options.maxSends', atLeastOne)
				: Infinity,
		price: readPrice(operation, reader),
	};
}

/** In a long list each note costs more: fewer would hold up the requests. */
const inDoubtOfMany = 25;

/** Sends that a crash may leave in doubt (docs/contract.md, section 4.3). Chunks go out one by one. */
export function inDoubtAt({ batchSize }: Settings, { kind }: Operation, isLong: boolean): number {
	if (kind === 'joined') return 1;
	return Math.max(isLong ? inDoubtOfMany : 0, 2 * batchSize);
}

const prices = oneOf(['none', 'marketing', 'utility'] as const);

function readPrice(operation: Operation, reader: Reader): Settings['price'] {
	const option = optionOf(operation, 'checkBalance');
	const { same: read } = reader;
	if (!option || !reader(0).has('options.checkBalance')) return undefined;
	if (option.type === 'boolean') return read('options.checkBalance', flag) ? 'amount' : undefined;
	const price = read('options.checkBalance', prices);
	return price === 'none' ? undefined : price;
}

const optionOf = ({ fields }: Operation, wanted: string): INodeProperties | undefined =>
	fields
		.find(({ name }) => name === 'options')
		?.options?.find((option): option is INodeProperties => option.name === wanted);

/** Which balance a unit of cost is taken from (docs/service.md, sections 4.1 and 8.2). */
const balances: Record<string, string> = {
	'chat credits': 'chatBalance',
	'email credits': 'emailBalance',
	'voice minutes': 'voiceMins',
};

/** Looks once whether the balance covers all that is to be sent; throws Failure. */
export async function checkBalance(
	call: Call,
	{ cost }: Operation,
	price: NonNullable<Settings['price']>,
	jobs: Job[],
): Promise<void> {
	const costs = jobs.flatMap(({ plan }) => (plan && cost ? [cost(plan.request)] : []));
	const unit = String(costs[0]?.unit);
	const needed = sumBy(costs, ({ [price]: one }) => Number(one ?? 0));
	const name = balances[unit] ?? unit;
	const response = await call({ endpoint: endpoints.getBalance });
	const available = accountOf(response)[name];
	if (typeof available !== 'number') throw unknownShape(response, name);
	if (available >= needed) return;
	throw new Failure(
		`What is to be sent needs ${needed} ${unit}, but the account has ${available}`,
		{
			outcome: 'notSent',
			description: `Top up the ${unit} by ${needed - available} or more on the dashboard, or send less.`,
			facts: { needed, available },
		},
	);
}
