import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { lists, readPage } from '../api/lists';
import type { Watch } from './watch';

/** What is remembered of one number. */
interface ChatNumber extends IDataObject {
	id: string;
	phoneNumber: string;
	qualityRating: string;
}

const storedSchema = z.object({
	numbers: z.array(
		z.object({ id: z.string(), phoneNumber: z.string(), qualityRating: z.string() }),
	),
});

/**
 * Watches the connected chat numbers (GET /chat/configs, docs/service.md, section 4.3): a number
 * whose quality falls is soon allowed to send less. One request per poll.
 */
export const numberWatch: Watch = {
	identity: { watch: 'numbers' },
	poll: async (call, stored) => {
		const { records } = await readPage(call, lists.numbers);
		const parsed = storedSchema.safeParse(stored);
		return {
			items: parsed.success ? changesOf(parsed.data.numbers, records) : [],
			state: { numbers: records.map(numberOf) },
		};
	},
	sample: async (call) => {
		const { records } = await readPage(call, lists.numbers);
		const { qualityRating, ...number } = records[0] ?? example;
		return {
			event: 'number.qualityChanged',
			...number,
			qualityRating,
			previousQualityRating: qualityRating === 'GREEN' ? 'YELLOW' : 'GREEN',
		};
	},
};

function changesOf(before: ChatNumber[], records: IDataObject[]): IDataObject[] {
	const known = new Map(before.map((number) => [number.id, number]));
	const present = new Set(records.map(({ id }) => String(id)));
	return [
		...before
			.filter(({ id }) => !present.has(id))
			.map((number) => ({ event: 'number.removed', ...number })),
		...records.flatMap((record) => {
			const { id, qualityRating } = numberOf(record);
			const earlier = known.get(id);
			if (!earlier) return [{ event: 'number.added', ...record }];
			if (earlier.qualityRating === qualityRating) return [];
			const previousQualityRating = earlier.qualityRating;
			return [{ event: 'number.qualityChanged', ...record, previousQualityRating }];
		}),
	];
}

const numberOf = ({ id, phoneNumber, qualityRating }: IDataObject): ChatNumber => ({
	id: String(id),
	phoneNumber: String(phoneNumber),
	qualityRating: String(qualityRating ?? ''),
});

/** Shown by a manual test on an account without numbers. */
const example: IDataObject = {
	id: '7d2d0f0e-3f5a-4c1b-9a57-6f0a2c9f8d11',
	phoneNumber: '918047104710',
	phoneNumberId: 'example',
	wabaId: 'example',
	qualityRating: 'YELLOW',
	isDefault: true,
	createdAt: '2026-01-31T12:00:00.000Z',
};
