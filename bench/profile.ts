import { readFileSync } from 'node:fs';

/** What of a .cpuprofile is used. */
interface CpuProfile {
	nodes: Array<{
		id: number;
		callFrame: { functionName: string; url: string; lineNumber: number };
	}>;
	samples: number[];
	/** Microseconds before each sample. */
	timeDeltas: number[];
}

/** The functions of a .cpuprofile in which most time was spent, one a line. */
export function hottest(file: string, count = 25): string[] {
	const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
	const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
	const times = new Map<string, number>();
	samples.forEach((id, index) => {
		const name = names.get(id) ?? '';
		times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0) / 1_000);
	});
	// Neither waiting counts, nor what the profiler itself takes.
	const busy = [...times]
		.filter(([name]) => name !== '(idle)' && !name.includes('node:inspector'))
		.sort(([, a], [, b]) => b - a);
	const total = busy.reduce((sum, [, ms]) => sum + ms, 0);
	return busy
		.slice(0, count)
		.map(([name, ms]) => `${ms.toFixed(0).padStart(7)} ms ${share(ms / total)}  ${name}`);
}

const share = (value: number): string => `${(100 * value).toFixed(1)} %`.padStart(7);

/** A function's name and where it stands, from the package's folder on. */
function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']) {
	const place = url.replace(/^.*\/node_modules\//, '');
	return `${functionName || '(anonymous)'}${place ? ` ${place}:${lineNumber + 1}` : ''}`;
}
