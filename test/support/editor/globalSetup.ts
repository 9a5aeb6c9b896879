import { shareN8n } from '../../../harness/globalSetup';

/** Jest runs it once before the first test of the editor: n8n's interface is off otherwise. */
export default async function setUp(): Promise<void> {
	await shareN8n({ env: { N8N_DISABLE_UI: 'false' } });
}
