import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { isSigned } from '../../../nodes/MessagingService/trigger/signature';
import { numRuns, patience, seed } from '../../support/fuzz/runs';

jest.setTimeout(patience);

const secret = 'a secret of the test';
const body = Buffer.from(
	JSON.stringify({ event: 'message.delivered', data: { to: '919876543210' } }),
);

const sign = (bytes: Uint8Array, encoding: 'hex' | 'base64' = 'hex') =>
	createHmac('sha256', secret).update(bytes).digest(encoding);

describe('no mutation is accepted', () => {
	const mutate = (bytes: Uint8Array, at: number, by: number) => {
		const copy = Uint8Array.from(bytes);
		const index = at % copy.length;
		copy[index] = (copy[index] ?? 0) ^ by;
		return copy;
	};
	const place = fc.nat();
	const bits = fc.integer({ min: 1, max: 255 });

	test('of the body', () => {
		const signatures = fc.constantFrom(sign(body), `sha256=${sign(body, 'base64')}`);
		fc.assert(
			fc.property(place, bits, signatures, (at, by, signature) => {
				return !isSigned(mutate(body, at, by), signature, [secret]);
			}),
			{ seed, numRuns },
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
			{ seed, numRuns },
		);
	});
});
