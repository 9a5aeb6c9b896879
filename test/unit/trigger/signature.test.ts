import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { isSigned } from '../../../nodes/MessagingService/trigger/signature';

const secret = 'a secret of the test';
const body = Buffer.from(
	JSON.stringify({ event: 'message.delivered', data: { to: '919876543210' } }),
);

const sign = (bytes: Uint8Array, encoding: 'hex' | 'base64' = 'hex', key = secret) =>
	createHmac('sha256', key).update(bytes).digest(encoding);

test.each([
	['hex', sign(body)],
	['hex in capitals', sign(body).toUpperCase()],
	['base64', sign(body, 'base64')],
	['hex with prefix', `sha256=${sign(body)}`],
	['capitals with prefix', `sha256=${sign(body).toUpperCase()}`],
	['base64 with prefix', `sha256=${sign(body, 'base64')}`],
])('accepts %s', (_name, signature) => {
	expect(isSigned(body, signature, [secret])).toBe(true);
});

test.each([
	['empty', ''],
	['the prefix alone', 'sha256='],
	['truncated', sign(body).slice(0, -1)],
	['too long', `${sign(body)}0`],
	['repeated', `${sign(body)}, ${sign(body)}`],
	['of another secret', sign(body, 'hex', 'another')],
	['of another body', sign(Buffer.from('{}'))],
	['base64 in capitals', sign(body, 'base64').toUpperCase()],
	['with spaces', ` ${sign(body)}`],
	['with another prefix', `sha1=${sign(body)}`],
])('refuses one that is %s', (_name, signature) => {
	expect(isSigned(body, signature, [secret])).toBe(false);
});

test('accepts any of several secrets, and nothing without one', () => {
	const signature = sign(body);
	expect(isSigned(body, signature, ['another', secret])).toBe(true);
	expect(isSigned(body, signature, ['another', 'and another'])).toBe(false);
	expect(isSigned(body, signature, [])).toBe(false);
});

describe('no mutation is accepted', () => {
	const mutate = (bytes: Uint8Array, at: number, by: number) => {
		const copy = Uint8Array.from(bytes);
		const index = at % copy.length;
		copy[index] = (copy[index] ?? 0) ^ by;
		return copy;
	};
	const place = fc.nat();
	const bits = fc.integer({ min: 1, max: 255 });
	const numRuns = 50_000;

	test('of the body', () => {
		const signatures = fc.constantFrom(sign(body), `sha256=${sign(body, 'base64')}`);
		fc.assert(
			fc.property(place, bits, signatures, (at, by, signature) => {
				return !isSigned(mutate(body, at, by), signature, [secret]);
			}),
			{ numRuns },
		);
	});

	test('of the signature, but for the case of hex', () => {
		const hex = sign(body);
		const signatures = fc.constantFrom(hex, `sha256=${hex}`, sign(body, 'base64'));
		fc.assert(
			fc.property(place, bits, signatures, (at, by, signature) => {
				const mutated = Buffer.from(mutate(Buffer.from(signature), at, by)).toString('latin1');
				const isOtherCase = [hex, `sha256=${hex}`].includes(
					mutated.replace(/[0-9A-F]{1,64}$/i, (digits) => digits.toLowerCase()),
				);
				return isSigned(body, mutated, [secret]) === isOtherCase;
			}),
			{ numRuns },
		);
	});
});
