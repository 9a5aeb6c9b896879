import type { IPollFunctions } from 'n8n-workflow';
import { InputFailure } from '../api/failure';
import { balanceWatch } from './balanceWatch';
import { callWatch } from './callWatch';
import { messageWatch } from './messageWatch';
import type { Watch } from './watch';

/**
 * The watch that the node's parameters ask for.
 *
 * @throws InputFailure when a parameter cannot be used
 */
export function chosenWatch(context: IPollFunctions): Watch {
	switch (context.getNodeParameter('watch')) {
		case 'voiceCalls':
			return callWatch(choices(context, 'callEvents', 'Call Events'), {
				route: String(context.getNodeParameter('filters.route', '')),
				search: String(context.getNodeParameter('filters.search', '')),
			});
		case 'messages':
			return messageWatch(choices(context, 'statuses', 'Statuses'));
		default:
			return balanceWatch(choices(context, 'resources', 'Balances'), {
				warning: threshold(context, 'warningThreshold', 'Warning Threshold'),
				critical: threshold(context, 'criticalThreshold', 'Critical Threshold'),
			});
	}
}

function choices(context: IPollFunctions, name: string, label: string): string[] {
	const value = context.getNodeParameter(name, []);
	if (Array.isArray(value) && value.length > 0) return value.map(String);
	throw new InputFailure(`${label} has no choice`, `Choose at least one of ${label}.`);
}

function threshold(context: IPollFunctions, name: string, label: string): number {
	const value = Number(context.getNodeParameter(name, 0));
	if (value >= 0) return value;
	throw new InputFailure(`${label} is not a number of at least 0`, `Correct ${label}.`);
}
