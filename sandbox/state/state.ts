import { memoize } from 'lodash';
import { Keys } from '../keys';
import { SeededRandom } from '../random';
import { ChatNumbers, initialAccount, type Account } from './account';
import { Calls } from './calls';
import { Messages } from './messages';
import { Webhooks } from './webhooks';

/** An email that went out. */
export interface Email {
	messageId: string;
	sentAt: number;
	to: string[];
	subject: string;
	html: string;
	text: string;
}

/** Everything that the account holds. A reset makes a new one. */
export class State {
	readonly account: Account = initialAccount();

	readonly keys: Keys;

	readonly chatNumbers: ChatNumbers;

	readonly messages: Messages;

	readonly calls: Calls;

	readonly webhooks: Webhooks;

	readonly emails: Email[] = [];

	/** Ids of campaigns and emails. */
	readonly ids: SeededRandom;

	/** Durations of calls. */
	readonly chances: SeededRandom;

	/** The same for the same `seed`, apart from times. */
	constructor(private readonly seed = 1) {
		this.keys = new Keys(this.random('keys'));
		this.chatNumbers = new ChatNumbers(this.random('chat numbers'));
		this.messages = new Messages(this.random('messages'));
		this.calls = new Calls(this.random('calls'));
		this.webhooks = new Webhooks(this.random('webhooks'));
		this.ids = this.random('ids');
		this.chances = this.random('durations');
	}

	/** A stream of random values for one purpose. */
	random(purpose: string): SeededRandom {
		return new SeededRandom(this.seed, purpose);
	}
}

/**
 * A part of the state that only few routes know: made by `create` when it is first asked for, with a
 * random stream of its own, and gone with a reset.
 */
export const part = <Part>(name: string, create: (random: SeededRandom) => Part) =>
	Object.assign(
		memoize((state: State) => create(state.random(name))),
		{ cache: new WeakMap<State, Part>() },
	);
