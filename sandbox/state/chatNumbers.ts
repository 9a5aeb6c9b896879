import { INITIAL_ACCOUNT, INITIAL_CHAT_NUMBERS, TEXTS } from '../choices';
import { ServiceError } from '../http/serviceError';
import type { SeededRandom } from '../random';

/** A connected number as GET /chat/configs shows it (docs/service.md, section 2.2). */
export interface ChatNumber {
	id: string;
	phoneNumber: string;
	phoneNumberId: string;
	wabaId: string;
	qualityRating: string;
	isDefault: boolean;
	createdAt: string;
}

/** The connected numbers of the account. */
export class ChatNumbers {
	private readonly numbers: ChatNumber[] = [];

	constructor(private readonly random: SeededRandom) {
		for (const phoneNumber of INITIAL_CHAT_NUMBERS) this.add(phoneNumber);
	}

	add(phoneNumber: string): ChatNumber {
		const number: ChatNumber = {
			id: this.random.uuid(),
			phoneNumber,
			phoneNumberId: this.random.digits(15),
			wabaId: this.random.digits(15),
			qualityRating: 'GREEN',
			isDefault: this.numbers.length === 0,
			createdAt: INITIAL_ACCOUNT.createdAt,
		};
		this.numbers.push(number);
		return number;
	}

	list(): ChatNumber[] {
		return this.numbers;
	}

	/** The number that `configId` (UUID or phone number) names, the default without one, or 400. */
	require(configId: string | undefined): ChatNumber {
		const wanted = configId?.replace(/^\+/, '');
		const found = this.numbers.find((one) =>
			wanted === undefined ? one.isDefault : one.id === wanted || one.phoneNumber === wanted,
		);
		if (!found) throw new ServiceError(400, TEXTS.config(configId ?? ''));
		return found;
	}
}
