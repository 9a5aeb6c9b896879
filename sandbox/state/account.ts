import type { Assumptions } from '../assumptions';
import type { TemplateCategory } from '../documented';
import { ServiceError } from '../http/endpoint';
import type { SeededRandom } from '../random';
import { writeChatNumber, writeTime } from './records';

/** Balances and owner of the account (docs/service.md, section 2.7); times are milliseconds since 1970. */
export type Account = ReturnType<typeof initialAccount>;

const accountCreated = Date.UTC(2024, 0, 15, 9);

export type Resource = 'chatBalance' | 'emailBalance' | 'voiceMins';

/** What the service says where a balance does not suffice. */
export const shortOf: Record<Resource, string> = {
	chatBalance: 'Insufficient chat balance',
	emailBalance: 'Insufficient email balance',
	voiceMins: 'Insufficient voice minutes',
};

export const initialAccount = () => ({
	name: 'Sandbox Account',
	email: 'owner@sandbox.example',
	role: 'client',
	balance: 5_000,
	chatBalance: 100_000,
	emailBalance: 10_000,
	voiceMins: 1_000,
	leadBalance: 250,
	createdAt: accountCreated,
});

/** A connected number; `phoneNumber` is digits. */
interface ChatNumber {
	id: string;
	phoneNumber: string;
	phoneNumberId: string;
	wabaId: string;
	isDefault: boolean;
	createdAt: number;
}

/** A connected number as GET /chat/configs shows it (docs/service.md, section 2.2). */
export function chatNumberRecord(number: ChatNumber, assumptions: Assumptions) {
	return {
		...number,
		phoneNumber: writeChatNumber(number.phoneNumber, assumptions),
		qualityRating: 'GREEN',
		createdAt: writeTime(number.createdAt),
	};
}

/** The connected numbers of the account; the first is the default. */
export class ChatNumbers {
	readonly all: readonly ChatNumber[];

	constructor(random: SeededRandom) {
		this.all = ['14155550100', '447700900670'].map((phoneNumber, index) => ({
			id: random.uuid(),
			phoneNumber,
			phoneNumberId: random.digits(15),
			wabaId: random.digits(15),
			isDefault: index === 0,
			createdAt: accountCreated,
		}));
	}

	/** The number that `configId` (UUID or phone number) names, the default without one. */
	find(configId: string | undefined): ChatNumber | undefined {
		const wanted = configId?.replace(/^\+/, '');
		return this.all.find((one) =>
			wanted === undefined ? one.isDefault : one.id === wanted || one.phoneNumber === wanted,
		);
	}
}

interface Template {
	name: string;
	category: TemplateCategory;
	approved: boolean;
	/** The only language it is approved for; any when absent. */
	language?: string;
	/** How many body values it takes; any when absent. */
	parameterCount?: number;
}

export const templates: readonly Template[] = [
	{ name: 'order_update', category: 'utility', approved: true },
	{
		name: 'appointment_reminder',
		category: 'utility',
		approved: true,
		language: 'en',
		parameterCount: 2,
	},
	{ name: 'seasonal_offer', category: 'marketing', approved: true },
	{ name: 'pending_review', category: 'utility', approved: false },
];

/**
 * The approved template, or 400 where it is none, or not one of this language
 * (docs/service.md, section 4.5).
 */
export function requireTemplate(name: string, language: string): Template {
	const template = templates.find((one) => one.name === name);
	if (!template?.approved) {
		throw new ServiceError(400, `Template '${name}' does not exist or is not approved`);
	}
	if (template.language !== undefined && template.language !== language) {
		throw new ServiceError(400, `Template '${name}' is not approved for language '${language}'`);
	}
	return template;
}

/** Refuses with 400 another number of values than a template takes. */
export function requireCount({ name, parameterCount }: Template, values: readonly string[]): void {
	if (parameterCount === undefined || parameterCount === values.length) return;
	throw new ServiceError(400, `Template '${name}' expects ${parameterCount} parameters`);
}
