import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { MessagingServiceApi } from '../../../credentials/MessagingServiceApi.credentials';
import { rootFolder } from '../../../harness/paths';
import { describedOperations } from '../operations';

/** Tells what the pictures of the documents showed when they were taken. */
export const madeFrom = 'docs/images/made-from.json';

/** What the pictures show of the nodes: names that a reader looks for in the editor. */
export const pictured = () => ({
	actions: describedOperations.map(({ option }) => option.action),
	credential: new MessagingServiceApi().properties.map(({ displayName }) => displayName),
	sendTemplate: describedOperations
		.filter(({ name }) => name === 'chatMessage.sendTemplate')
		.flatMap(({ fields }) => fields.map(({ displayName }) => displayName)),
});

/** Notes what a picture that is just being taken shows. */
export const notePictured = (): void =>
	writeFileSync(path.join(rootFolder, madeFrom), `${JSON.stringify(pictured(), null, '\t')}\n`);
