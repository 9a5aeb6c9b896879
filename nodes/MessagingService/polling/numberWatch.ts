import { differenceBy, pick, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { lists, readPage } from '../api/lists';
import type { Watch } from './watch';

/**
 * Watches the connected chat numbers (GET /chat/configs, docs/service.md, section 4.3). One request
 * per poll.
 */
export const numberWatch: Watch = {
	identity: { watch: 'numbers' },
	poll: async (call, stored) => {
		const records = uniqBy((await readPage(call, lists.numbers)).records, 'id');
		const numbers = records.map((record) => pick(record, ['id', 'phoneNumber', 'qualityRating']));
		const before = (stored?.numbers ?? numbers) as typeof numbers;
		const removed = differenceBy(before, numbers, 'id');
		const earlierById = new Map(before.map((number) => [number.id, number]));
		const items = records.flatMap((record) => {
			const earlier = earlierById.get(record.id);
			if (!earlier) return [{ event: 'number.added', ...record }];
			if (earlier.qualityRating === record.qualityRating) return [];
			const previousQualityRating = earlier.qualityRating ?? '';
			return [{ event: 'number.qualityChanged', ...record, previousQualityRating }];
		});
		return {
			items: [...removed.map((number) => ({ event: 'number.removed', ...number })), ...items],
			state: { numbers },
		};
	},
	sample: async (call) => {
		const { records } = await readPage(call, lists.numbers);
		// The only documented value (docs/service.md, section 2.2).
		const previousQualityRating = 'GREEN';
		return { event: 'number.qualityChanged', ...(records[0] ?? example), previousQualityRating };
	},
};

const example: IDataObject = {
	id: '7d2d0f0e-3f5a-4c1b-9a57-6f0a2c9f8d11',
	phoneNumber: '14155550100',
	phoneNumberId: 'example',
	wabaId: 'example',
	qualityRating: 'GREEN',
	isDefault: true,
	createdAt: '2026-01-31T12:00:00.000Z',
};
