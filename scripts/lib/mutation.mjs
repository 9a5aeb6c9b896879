import { readdirSync } from 'node:fs';
import path from 'node:path';
import { foregroundNode } from './command.mjs';
import { rootFolder } from './paths.mjs';

/** The rooms of nodes/MessagingService, in which the tests must notice nearly every change. */
const allRooms = () =>
	readdirSync(path.join(rootFolder, 'nodes/MessagingService'), { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
		.map(({ name }) => name);

const stryker = path.join(rootFolder, 'node_modules/@stryker-mutator/core/bin/stryker.js');

/**
 * Mutation tests of one room after the other; the reports are in `.cache/mutation`.
 * @param args the rooms, all when there is none, and options for StrykerJS
 * @returns how many rooms reach the share of killed mutants in `test/mutation/stryker.config.mjs`
 */
export async function testMutants(args) {
	const rooms = allRooms();
	const named = args.filter((arg) => rooms.includes(arg));
	const options = args.filter((arg) => !rooms.includes(arg));
	const codes = [];
	for (const room of named.length > 0 ? named : rooms) {
		console.log(`\n-- ${room}`);
		process.env.MUTATED_ROOM = room;
		codes.push(
			await foregroundNode([stryker, 'run', 'test/mutation/stryker.config.mjs', ...options]),
		);
	}
	const failed = codes.filter((code) => code !== 0).length;
	return { passed: codes.length - failed, failed };
}
