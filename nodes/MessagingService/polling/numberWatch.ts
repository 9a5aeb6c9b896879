import { keyBy, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { lists, readPage } from '../api/lists';
import type { Watch } from './watch';

/** What is remembered of one number. */
interface ChatNumber extends IDataObject {
	id: string;
	phoneNumber: string;
	qualityRating: string;
}

/**
 * Watches the connected chat numbers (GET /chat/configs, docs/service.md, section 4.3): a number
 * whose quality falls is soon allowed to send less. One request per poll.
 */
export const numberWatch: Watch = {
	identity: { watch: 'numbers' },
	poll: async (call, stored) => {
		const records = eachOnce((await readPage(call, lists.numbers)).records);
		return {
			items: stored ? changesOf(stored.numbers as ChatNumber[], records) : [],
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

/** Of a number that is listed twice, the same record in whatever order they come. */
function eachOnce(records: IDataObject[]): IDataObject[] {
	const chosen = keyBy(sortBy(records, 'qualityRating'), 'id');
	return records.filter((record) => chosen[String(record.id)] === record);
}

function changesOf(before: ChatNumber[], records: IDataObject[]): IDataObject[] {
	const known = keyBy(before, 'id');
	const present = keyBy(records, 'id');
	return [
		...before
			.filter(({ id }) => !present[id])
			.map((number) => ({ event: 'number.removed', ...number })),
		...records.flatMap((record) => {
			const { id, qualityRating } = numberOf(record);
			const earlier = known[id];
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
