import { groupBy, map, max, pickBy, mapValues, zip } from 'lodash';
import { questions, type Assumptions } from '../../sandbox';
import type { Answers } from './answers';

/** The settings that are known, for `npm run sandbox -- --assume FILE`. */
export const settingsOf = (answers: Answers): Partial<Assumptions> =>
	pickBy(mapValues(answers, 'setting')) as Partial<Assumptions>;

/** What is known and what isn't, as Markdown that can be read in a terminal. */
export function reportOf(answers: Answers): string {
	const named = map(questions, ({ section }, name) => {
		return { name, section, ...answers[name as keyof Answers] };
	});
	const known = named.filter(({ setting }) => setting !== undefined);
	const rows = known.map(({ name, section, setting = '', how }) => [name, section, setting, how]);
	const open = groupBy(
		named.filter(({ setting }) => setting === undefined),
		'how',
	);
	const reasons = map(open, (group, how) => [how, map(group, 'name').join(', ')]);
	return [
		`The service shows ${known.length} of ${named.length} answers:`,
		table([['question', 'section', 'answer', 'seen in'], ...rows]),
		'Not shown:',
		table([['why', 'questions'], ...reasons]),
	].join('\n\n');
}

/** A Markdown table, the first row of which is the heading. */
function table(rows: string[][]): string {
	const widths = zip(...rows).map((column) => max(map(column, 'length')) ?? 0);
	const [heading = '', ...lines] = rows.map(
		(row) => `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`,
	);
	return [heading, heading.replace(/[^|]/g, '-'), ...lines].join('\n');
}
