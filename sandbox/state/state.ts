import type { CarrierRoute } from '../documented';
import { Keys } from '../keys';
import { SeededRandom } from '../random';
import { ChatNumbers, Templates, initialAccount, type Account } from './account';
import { Calls } from './calls';
import { Messages } from './messages';
import { Webhooks } from './webhooks';

export type SmtpState = 'working' | 'none' | 'rejecting';

/** An email that went out. */
export interface Email {
	messageId: string;
	sentAt: number;
	to: string[];
	subject: string;
	html: string;
	text: string;
}

/** Everything that keys of one kind have made. */
export class Environment {
	readonly messages: Messages;

	readonly calls: Calls;

	readonly webhooks: Webhooks;

	readonly emails: Email[] = [];

	constructor(
		private readonly seed: number,
		readonly kind: 'production' | 'test',
	) {
		this.messages = new Messages(this.random('messages'), this);
		this.calls = new Calls(this.random('calls'));
		this.webhooks = new Webhooks(this.random('webhooks'));
	}

	/** A stream of random values for one purpose. */
	random(purpose: string): SeededRandom {
		return new SeededRandom(this.seed, this.kind === 'test' ? `test ${purpose}` : purpose);
	}
}

/** Everything that the account holds. A reset makes a new one. */
export class State {
	readonly account: Account = initialAccount();

	readonly keys: Keys;

	readonly chatNumbers: ChatNumbers;

	readonly templates = new Templates();

	readonly production: Environment;

	readonly test: Environment;

	/** Whether a route's credentials are configured. */
	readonly voiceRoutes: Record<CarrierRoute, boolean> = {
		carrier_in1: true,
		carrier_us1: true,
		carrier_in2: true,
	};

	/** Ids of campaigns and emails. */
	readonly ids: SeededRandom;

	/** Durations of calls, delays of deliveries. */
	readonly chances: SeededRandom;

	smtp: SmtpState = 'working';

	chatSession = true;

	/** The same for the same `seed`, apart from times. */
	constructor(
		readonly seed: number,
		now: () => number,
	) {
		this.keys = new Keys(new SeededRandom(seed, 'keys'), now);
		this.chatNumbers = new ChatNumbers(new SeededRandom(seed, 'chat numbers'));
		this.production = new Environment(seed, 'production');
		this.test = new Environment(seed, 'test');
		this.ids = new SeededRandom(seed, 'ids');
		this.chances = new SeededRandom(seed, 'durations');
	}

	get environments(): Environment[] {
		return [this.production, this.test];
	}
}

/**
 * A part of an environment that only few routes know: made by `create` when it is first asked for,
 * with a random stream of its own, and gone with a reset.
 */
export function part<Part>(
	name: string,
	create: (random: SeededRandom) => Part,
): (environment: Environment) => Part {
	const made = new WeakMap<Environment, Part>();
	return (environment) => {
		const known = made.get(environment) ?? create(environment.random(name));
		made.set(environment, known);
		return known;
	};
}
