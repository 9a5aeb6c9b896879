import type { Assumptions } from '../../../sandbox';
import type { Seen } from '../probe';
import { events } from './events';
import type { Answer } from './fitting';
import { forms } from './forms';
import { lists } from './lists';
import { webhooks } from './webhooks';

export type Answers = { [Name in keyof Assumptions]: Answer<Assumptions[Name]> };

/** What neither free reads nor one message and its events can show. */
const unasked = {
	messageSteps: { how: 'needs messages that are read and that fail' },
	mediaResponse: { how: 'needs a paid media message' },
	bulkInvalid: { how: 'needs a paid campaign' },
	nationalCalls: { how: 'needs a paid call' },
	dashboardToken: { how: 'needs a dashboard webhook' },
	dashboardCheck: { how: 'needs a dashboard webhook' },
};

/** What a service has shown of each question; nothing in it belongs to the account. */
export const answersOf = (seen: Seen): Answers => ({
	...unasked,
	...forms(seen),
	...lists(seen),
	...webhooks(seen),
	...events(seen),
});
