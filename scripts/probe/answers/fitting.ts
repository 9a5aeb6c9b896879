import { map, pickBy, uniq } from 'lodash';
import type { Reading } from '../client';

/** The setting of the sandbox that the service shows, and where, or why it shows none. */
export interface Answer<Setting extends string = string> {
	setting?: Setting;
	/** Contains nothing of the account. */
	how: string;
}

/** Parts of responses that show the same, or why there are none. */
export interface Samples<Sample> {
	kind: string;
	all: Sample[];
	problem?: string;
}

/** Samples in a reading. */
export const samplesOf = <Sample>(
	kind: string,
	all: Sample[],
	reading?: Pick<Reading, 'problem'>,
): Samples<Sample> => ({ kind, all, problem: reading?.problem });

/** One field of each sample. */
export const valuesOf = (
	{ kind, all, problem }: Samples<Record<string, unknown>>,
	field: string,
): Samples<unknown> => ({ kind, all: map(all, field), problem });

/** The only setting that every sample fits. */
export function fitting<Sample, Setting extends string>(
	sources: Array<Samples<Sample>>,
	tests: Partial<Record<Setting, (sample: Sample) => boolean>>,
): Answer<Setting> {
	const shown = sources.filter(({ all }) => all.length > 0);
	if (shown.length === 0)
		return { how: uniq(sources.map(({ kind, problem }) => problem ?? `no ${kind}`)).join('; ') };
	const samples = shown.flatMap(({ all }) => all);
	const how = shown
		.map(({ kind, all }) => (all.length > 1 ? `${kind} (${all.length})` : kind))
		.join(', ');
	const fits = (test: unknown) => samples.every(test as (sample: Sample) => boolean);
	const [setting, other] = Object.keys(pickBy(tests, fits)) as Setting[];
	if (setting === undefined) return { how: `no setting fits: ${how}` };
	return other === undefined ? { setting, how } : { how: `several settings fit: ${how}` };
}
