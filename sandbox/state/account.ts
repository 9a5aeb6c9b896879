import type { TemplateCategory } from '../documented';
import { ServiceError } from '../http/error';
import type { SeededRandom } from '../random';

const createdAt = '2024-01-15T09:00:00.000Z';

export type Resource = 'chatBalance' | 'emailBalance' | 'voiceMins';

/** Error texts of a balance that is too low. */
export const shortOf: Record<Resource, string> = {
	chatBalance: 'Insufficient chat balance',
	emailBalance: 'Insufficient email balance',
	voiceMins: 'Insufficient voice minutes',
};

/** Balances and owner of the account (docs/service.md, section 2.7). */
export const initialAccount = () => ({
	name: 'Sandbox Account',
	email: 'owner@sandbox.example',
	role: 'client',
	balance: 5_000,
	chatBalance: 100_000,
	emailBalance: 10_000,
	voiceMins: 1_000,
	leadBalance: 250,
	createdAt,
});

/** The connected numbers of the account (docs/service.md, section 2.2), as digits; the first is the default. */
export const connectedNumbers = (random: SeededRandom) =>
	['14155550100', '447700900670'].map((phoneNumber, index) => ({
		id: random.uuid(),
		phoneNumber,
		phoneNumberId: random.digits(15),
		wabaId: random.digits(15),
		isDefault: index === 0,
		qualityRating: 'GREEN',
		createdAt,
	}));

/** The sending number that `configId` (UUID or phone number) names, the default without one, or 400. */
export function senderOf(
	{ chatNumbers }: { chatNumbers: ReturnType<typeof connectedNumbers> },
	configId?: string,
): string {
	const wanted = configId?.replace(/^\+/, '');
	const number = chatNumbers.find((one) =>
		wanted === undefined ? one.isDefault : [one.id, one.phoneNumber].includes(wanted),
	);
	if (number) return number.phoneNumber;
	throw new ServiceError(400, `configId '${configId}' does not match a connected number`);
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
		...{ name: 'appointment_reminder', category: 'utility', approved: true },
		...{ language: 'en', parameterCount: 2 },
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

/** Rejects another number of values than a template has (400). */
export function requireCount({ name, parameterCount }: Template, values: readonly string[]): void {
	if (parameterCount === undefined || parameterCount === values.length) return;
	throw new ServiceError(400, `Template '${name}' expects ${parameterCount} parameters`);
}
