import type { IDataObject } from 'n8n-workflow';
import { withoutEmpty } from '../../api/request';
import type { Reader } from '../../parameters/read';
import { requiredName, trimmed } from '../../parameters/schemas';
import { numberColumn } from '../../parameters/sendingNumber';
import type { Rows } from './rowReader';

/** What input items agree on whose recipients make one campaign. */
interface Campaign {
	/** `templateName`, `configId` and `language` as the service takes them. */
	common: IDataObject;
	configId: string;
	/** The numbers of its rows; absent if it has all of them. */
	numbers?: Uint32Array;
	count: number;
}

/**
 * Groups the rows by the template, language and sending number of their input items, in the order in
 * which these first appear (docs/contract.md, section 3.7); throws InputFailure.
 */
export function campaignsOf(reader: Reader, { count, itemOf }: Rows): Campaign[] {
	const templateName = reader.column('templateName', requiredName);
	const language = reader.column('language', trimmed);
	const configId = numberColumn(reader);
	const make = (item: number): Campaign => ({
		common: withoutEmpty({
			templateName: templateName(item),
			configId: configId(item),
			language: language(item),
		}),
		configId: configId(item),
		count: 0,
	});
	if (templateName.isConstant && language.isConstant && configId.isConstant) {
		return [{ ...make(0), count }];
	}

	const campaigns: Campaign[] = [];
	const places = new Map<string, Map<string, Map<string, number>>>();
	const placeOfRow = new Uint32Array(count);
	for (let row = 0; row < count; row++) {
		const item = itemOf(row);
		const ofTemplate = entry(places, templateName(item), () => new Map());
		const ofLanguage = entry(ofTemplate, language(item), () => new Map<string, number>());
		const place = entry(ofLanguage, configId(item), () => campaigns.push(make(item)) - 1);
		(campaigns[place] as Campaign).count++;
		placeOfRow[row] = place;
	}
	const lists = campaigns.map((campaign) => (campaign.numbers = new Uint32Array(campaign.count)));
	const filled = new Uint32Array(campaigns.length);
	placeOfRow.forEach((place, row) => {
		const next = filled[place] ?? 0;
		(lists[place] as Uint32Array)[next] = row;
		filled[place] = next + 1;
	});
	return campaigns;
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
	const known = map.get(key);
	if (known !== undefined) return known;
	const made = make();
	map.set(key, made);
	return made;
}
