import type { IDataObject } from 'n8n-workflow';
import { withoutEmpty } from '../../api/endpoints';
import type { Failure } from '../../api/failure';
import { asInputFailure, type Reader } from '../../parameters/read';
import { requiredName, trimmed } from '../../parameters/schemas';
import { numberColumn } from '../../parameters/sendingNumber';
import type { Rows } from './rows';

/** What input items agree on whose recipients make one campaign. */
interface Campaign {
	/** `templateName`, `configId` and `language` as the service takes them. */
	common: IDataObject;
	configId: string;
	/** The numbers of its rows; absent if it has all of them. */
	numbers?: Uint32Array;
	count: number;
	/** Input items whose rows cannot be read, and why. */
	failures: Map<number, Failure>;
}

/** The campaigns of a run. */
interface Campaigns {
	campaigns: Campaign[];
	/** Input items that belong to no campaign, and why. */
	homeless: Map<number, Failure>;
}

/** Stands for a row that belongs to no campaign. */
const nowhere = 0xffffffff;

/**
 * Groups the rows by the template, language and sending number of their input items, in the order in
 * which these first appear (docs/contract.md, section 3.7); throws InputFailure if it is wrong for all.
 */
export function campaignsOf(reader: Reader, { count, itemOf, failures }: Rows): Campaigns {
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
		failures: new Map(),
	});
	if (templateName.isConstant && language.isConstant && configId.isConstant) {
		return { campaigns: [{ ...make(0), count, failures: new Map(failures) }], homeless: new Map() };
	}

	const campaigns: Campaign[] = [];
	const places = new Map<string, Map<string, Map<string, number>>>();
	const placeOfRow = new Uint32Array(count);
	const homeless = new Map<number, Failure>();
	const placeOf = (item: number): number => {
		if (homeless.has(item)) return nowhere;
		try {
			const ofTemplate = entry(places, templateName(item), () => new Map());
			const ofLanguage = entry(ofTemplate, language(item), () => new Map<string, number>());
			return entry(ofLanguage, configId(item), () => campaigns.push(make(item)) - 1);
		} catch (error) {
			homeless.set(item, asInputFailure(error, item));
			return nowhere;
		}
	};
	for (let row = 0; row < count; row++) {
		const place = placeOf(itemOf(row));
		placeOfRow[row] = place;
		if (place !== nowhere) (campaigns[place] as Campaign).count++;
	}
	for (const [item, failure] of failures) campaigns[placeOf(item)]?.failures.set(item, failure);
	const lists = campaigns.map((campaign) => (campaign.numbers = new Uint32Array(campaign.count)));
	const filled = new Uint32Array(campaigns.length);
	placeOfRow.forEach((place, row) => {
		if (place === nowhere) return;
		const next = filled[place] ?? 0;
		(lists[place] as Uint32Array)[next] = row;
		filled[place] = next + 1;
	});
	return { campaigns, homeless };
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
	const known = map.get(key);
	if (known !== undefined) return known;
	const made = make();
	map.set(key, made);
	return made;
}
