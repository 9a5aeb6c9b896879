import type { INodeProperties } from 'n8n-workflow';
import { MessagingServiceApi } from '../../credentials/MessagingServiceApi.credentials';
import { MessagingServiceDashboardApi } from '../../credentials/MessagingServiceDashboardApi.credentials';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { MessagingServiceDashboardTrigger } from '../../nodes/MessagingService/MessagingServiceDashboardTrigger.node';
import { MessagingServicePollingTrigger } from '../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node';

type Entries = NonNullable<INodeProperties['options']>;

/** A field, a group of fields or a choice, and its place in the description. */
interface Text {
	at: string;
	entry: Entries[number];
}

/** What the editor shows of a field, a group or a choice. */
export const labelOf = (entry: Entries[number]): string =>
	'displayName' in entry ? entry.displayName : entry.name;

function walk(entries: Entries, at: string): Text[] {
	return entries.flatMap((entry) => {
		const place = `${at} > ${labelOf(entry)}`;
		const inside =
			'values' in entry ? entry.values : 'options' in entry ? (entry.options ?? []) : [];
		return [{ at: place, entry }, ...walk(inside, place)];
	});
}

export const action = new MessagingService().description;
export const polling = new MessagingServicePollingTrigger().description;
export const dashboard = new MessagingServiceDashboardTrigger().description;
export const triggers = [new MessagingServiceTrigger().description, polling, dashboard];
export const nodes = [action, ...triggers];
export const described = [...nodes, new MessagingServiceApi(), new MessagingServiceDashboardApi()];

/** All texts of the nodes and the credential, as n8n evaluates them: the linter sees only what is written out. */
export const texts = described.flatMap(({ displayName, properties }) =>
	walk(properties, displayName),
);
