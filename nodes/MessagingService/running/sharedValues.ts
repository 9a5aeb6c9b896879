// Values that are the same for all items where each item needs its own.

import { attempt, isNumber, isString } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';
import { InputFailure } from '../api/failure';
import { loopNodesBefore } from '../sending/graph';
import type { Operation } from '../operation';
import { isConstant, isSameForAll, nodeReference, readsNoItem } from '../parameters/expressions';
import { rawValue } from '../parameters/read';

/** Why a run must not send: its items share a key, a recipient, an email or an opt-out, or no key ever repeats. */
export function sharedValueFailureOf(
	context: IExecuteFunctions,
	operation: Operation,
): InputFailure | undefined {
	if (!operation.billable) return undefined;
	const hasItems = operation.kind === 'item' && context.getInputData().length > 1;
	return (
		changingKey(context) ??
		(hasItems ? (sharedKey(context) ?? sharedEmail(context, operation)) : undefined) ??
		(hasItems || isLaterRound(context) ? sharedRecipient(context, operation) : undefined) ??
		singleOptOut(context)
	);
}

/** Whether the node runs again in a loop. In the first round, the first item may be the right one. */
const isLaterRound = (context: IExecuteFunctions): boolean =>
	Number(context.getWorkflowDataProxy(0).$runIndex ?? 0) > 0 && loopNodesBefore(context).length > 0;

/** Values that no other execution has. */
const newValues = [
	String.raw`(?<!new Date\(|fromMillis\()Date\.now\(\)`,
	String.raw`Math\.random\(\)`,
	String.raw`(?:\$now|DateTime\.now\(\))\.(?:toMillis|toSeconds|toUnixInteger|toISO|valueOf)\(\)`,
	String.raw`new Date\(\)\.(?:getTime|toISOString)\(\)`,
	String.raw`\{\{\s*(?:\$now|DateTime\.now\(\)|new Date\(\)|\$execution\.id)(?=\s*\}\})`,
];

/** Such a value of which no part is used. */
const alwaysNew = new RegExp(String.raw`(?:${newValues.join('|')})(?!\s*[./%])`);

/** Where such a value is only a substitute, or the key is for the rounds of a loop. */
const mayRepeat = /\?|\|\||\$runIndex/;

function changingKey(context: IExecuteFunctions): InputFailure | undefined {
	const key = String(rawValue(context, 'options.idempotencyKey'));
	if (!alwaysNew.test(key) || mayRepeat.test(key)) return undefined;
	return new InputFailure(
		'Send Only Once per Key contains the time, a random value or the ID of the execution, so another execution would send again',
		'Use only what stays the same when the item is sent again, e.g. {{ $json.orderId }}. To send once a day, write {{ $json.phone }} {{ $today.toISODate() }}.',
	);
}

function sharedKey(context: IExecuteFunctions): InputFailure | undefined {
	const key = rawValue(context, 'options.idempotencyKey');
	if (typeof key !== 'string' || !(isConstant(key) || isSameForAll(key))) return undefined;
	return new InputFailure(
		`Send Only Once per Key: these ${context.getInputData().length} items share a key, so only the first would be sent`,
		'Switch the field to Expression and give each item its own key, e.g. {{ $json.orderId }}. To send only once, turn on Execute Once in the settings of the node.',
	);
}

/** All items, or rounds of a loop, get their recipient or file from one of a node's several items. */
function sharedRecipient(
	context: IExecuteFunctions,
	{ fields }: Operation,
): InputFailure | undefined {
	const oneOfNode = new RegExp(`(${nodeReference})\\.(first|last)\\(\\)`);
	for (const { name, displayName } of fields) {
		if (!['phone', 'to', 'mediaId'].includes(name)) continue;
		const raw = String(rawValue(context, name));
		const [, node = '', which] = oneOfNode.exec(raw) ?? [];
		if (!which || !readsNoItem(raw) || !(countOf(context, node) > 1)) continue;
		return new InputFailure(
			`${displayName} is the same for all items: ${which}() reads only one item of its node`,
			`Write ${node}.item instead. To use this one for all, write ${node}.all().at(${which === 'first' ? 0 : -1}).`,
		);
	}
	return undefined;
}

/** Each item would send the same email to all addresses of the items. */
function sharedEmail(context: IExecuteFunctions, { fields }: Operation): InputFailure | undefined {
	const raws = fields.map(({ name }) => rawValue(context, name)).filter(isString);
	const to = String(rawValue(context, 'to'));
	const isOfItems = /\$input\.all\(\)\.map\(/.test(to) && !/\$(?:json|itemIndex)/.test(to);
	const isEqualForAll = () => raws.every((raw) => isConstant(raw) || readsNoItem(raw));
	if (!isOfItems && !(/\.all\(\)\.map\(/.test(to) && isEqualForAll())) return undefined;
	const { length } = context.getInputData();
	return new InputFailure(
		`Each of the ${length} items would send an email to all of the addresses`,
		'To send it once, turn on Execute Once in the settings of the node. For an email to each address, write e.g. {{ $json.email }} in To.',
	);
}

/** The list of opt-outs comes from only one of a node's several items. */
function singleOptOut(context: IExecuteFunctions): InputFailure | undefined {
	const raw = String(rawValue(context, 'options.excludedRecipients'));
	const oneOfNode = `^=\\{\\{\\s*(${nodeReference})\\.(first\\(\\)|last\\(\\)|item)\\.json(\\S*)\\s*\\}\\}$`;
	const [, node, which, path = ''] = new RegExp(oneOfNode).exec(raw) ?? [];
	const count = node ? countOf(context, node) : 0;
	const entry: unknown = count > 1 && attempt(() => context.evaluateExpression(raw.slice(1), 0));
	if ((!isString(entry) && !isNumber(entry)) || /[,;\n]/.test(String(entry))) return undefined;
	return new InputFailure(
		`Excluded Recipients contains only one of ${count} entries: ${which} reads a single item`,
		`Write {{ ${node}.all().map((one) => one.json${path}) }}.`,
	);
}

/** How many items a node has passed on; NaN if it did not run. */
const countOf = (context: IExecuteFunctions, node: string): number =>
	Number(attempt(() => context.evaluateExpression(`{{ ${node}.all().length }}`, 0)));
