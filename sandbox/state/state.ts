import type { CarrierRoute } from '../documented';
import { Keys } from '../keys';
import { SeededRandom } from '../random';
import { ChatNumbers, Templates, initialAccount, type Account } from './account';
import { Calls } from './calls';
import { Messages } from './messages';
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
		voiceRoutes: { carrier_in1: true, carrier_us1: true, carrier_in2: true },
		ids: stream('ids'),
		durations: stream('durations'),
		smtp: 'working',
		chatSession: true,
	};
}

/**
 * A part of the state that only one file of routes knows: made by `create` when it is first asked
 * for, with a random stream of its own, and gone with a reset.
 */
export function part<Part>(
	name: string,
	create: (random: SeededRandom) => Part,
): (state: State) => Part {
	const made = new WeakMap<State, Part>();
	return (state) => {
		const known = made.get(state) ?? create(new SeededRandom(state.seed, name));
		made.set(state, known);
		return known;
	};
}
