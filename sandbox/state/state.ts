import type { CarrierRoute } from '../documented';
import { SeededRandom } from '../random';
import { initialAccount, type Account } from './account';
import { Calls } from './calls';
import { ChatNumbers } from './chatNumbers';
import { Keys } from './keys';
import { MediaFiles } from './media';
import { Messages } from './messages';
import { Templates } from './templates';
import { Webhooks } from './webhooks';

export type SmtpState = 'working' | 'none' | 'rejecting';

/** Everything that the account holds. A reset makes a new one. */
export interface State {
	readonly seed: number;
	readonly account: Account;
	readonly keys: Keys;
	readonly chatNumbers: ChatNumbers;
	readonly templates: Templates;
	readonly messages: Messages;
	readonly webhooks: Webhooks;
	readonly calls: Calls;
	readonly media: MediaFiles;
	/** Whether a route's credentials are configured. */
	readonly voiceRoutes: Record<CarrierRoute, boolean>;
	/** Ids of campaigns and e-mails. */
	readonly ids: SeededRandom;
	/** Durations of calls. */
	readonly durations: SeededRandom;
	smtp: SmtpState;
	chatSession: boolean;
}

/** The initial state; the same for the same `seed`, apart from times. */
export function createState(seed: number, now: () => number): State {
	const stream = (purpose: string) => new SeededRandom(seed, purpose);
	return {
		seed,
		account: initialAccount(),
		keys: new Keys(stream('keys'), now),
		chatNumbers: new ChatNumbers(stream('chat numbers')),
		templates: new Templates(),
		messages: new Messages(stream('messages')),
		webhooks: new Webhooks(stream('webhooks')),
		calls: new Calls(stream('calls')),
		media: new MediaFiles(stream('media')),
		voiceRoutes: { carrier_in1: true, carrier_us1: true, carrier_in2: true },
		ids: stream('ids'),
		durations: stream('durations'),
		smtp: 'working',
		chatSession: true,
	};
}
