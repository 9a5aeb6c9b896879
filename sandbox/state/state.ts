import { newKey } from '../keys';
import { SeededRandom } from '../random';
import { connectedNumbers, initialAccount } from './account';
import type { Call } from './calls';
import type { Message } from './messages';
import type { DashboardWebhook, Webhook } from './webhooks';

/** An email that went out. */
export interface Email {
	messageId: string;
	sentAt: string;
	to: string[];
	subject: string;
	html: string;
	text: string;
}

/** Everything that the account holds, oldest first. A reset makes a new one. */
export type State = ReturnType<typeof newState>;

/** The same for the same `seed`, apart from times. */
export function newState(seed = 1) {
	const random = new SeededRandom(seed);
	const [production, test] = [newKey(random), newKey(random, { prefix: 'msk_test_' })];
	return {
		random,
		account: initialAccount(),
		/** The two keys with every scope that are there from the start. */
		access: { production: production.key, test: test.key },
		keys: [production, test],
		chatNumbers: connectedNumbers(random),
		messages: [] as Message[],
		calls: [] as Call[],
		emails: [] as Email[],
		webhooks: [] as Webhook[],
		dashboardWebhooks: [] as DashboardWebhook[],
		/** Kinds and names of uploaded files by media ID; their content is not kept. */
		media: new Map<string, { type: string; filename: string }>(),
	};
}
