import { InputFailure } from './failure';

/**
 * The credential's API key without surrounding spaces.
 *
 * @throws InputFailure that does not repeat the value
 */
export function readKey(value: unknown): string {
	const key = String(value ?? '').trim();
	if (/^[\x20-\x7e\xa1-\xff]*$/.test(key)) return key;
	throw new InputFailure(
		'The API key of the credential contains a character that no API key has',
		'Open the credential and enter the API key again, as the dashboard showed it in Settings > API Keys.',
	);
}

/** The header that carries the key (docs/service.md, section 5.1). */
export const keyHeader = (key: string) => ({ 'x-api-key': key });
