import { InputFailure, itemName } from '../../api/failure';
import { fieldAt, type Reader } from '../../parameters/read';
import type { Schema } from '../../parameters/schemas';
import { createCampaignFields } from './create.fields';

/**
 * Reads parameters that must be the same for all input items: what the others say would be dropped.
 *
 * @throws InputFailure (the function that is returned) when items differ
 */
export function sameForAll(reader: Reader, itemCount: number) {
	return <T>(name: string, schema: Schema<T>): T => {
		const valueAt = reader.column(name, schema);
		const value = valueAt(0);
		const text = JSON.stringify(value);
		for (let item = 1; item < itemCount && !valueAt.isConstant; item++) {
			const other = valueAt(item);
			if (other === value || JSON.stringify(other) === text) continue;
			const { displayName } = fieldAt(createCampaignFields, name);
			throw new InputFailure(
				`${displayName} differs between the input items: ${text} for ${itemName(0)}, ${JSON.stringify(other)} for ${itemName(item)}`,
				'Give it the same value for all items, or use a node of its own for each group of items.',
			);
		}
		return value;
	};
}
