import { InputFailure } from './failure';

/**
 * The credential's allowed country codes as digits; none if every number is allowed
 * (docs/contract.md, section 2).
 *
 * @throws InputFailure for a text that is no list of codes
 */
export function readCountryCodes(value: unknown): string[] {
	const codes = String(value ?? '')
		.split(/[\s,;]+/)
		.filter((code) => code !== '')
		.map((code) => code.replace(/^\+/, ''));
	if (codes.every((code) => /^[1-9]\d{0,6}$/.test(code))) return codes;
	throw new InputFailure(
		'The allowed country codes of the credential are not a list of codes',
		'Open the credential and enter the codes as digits separated by commas, e.g. 91, 1. Leave the field empty to allow every number.',
	);
}
