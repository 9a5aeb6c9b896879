import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { isSigned } from '../../../nodes/MessagingService/trigger/signature';
import { numRuns, patience, seed } from '../../support/fuzz/runs';

jest.setTimeout(patience);

const secret = 'a secret of the test';
const body = Buffer.from(
	JSON.stringify({ event: 'message.delivered', data: { to: '447700900210' } }),
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

	test('of the signature, but for another spelling of it', () => {
		const hex = sign(body);
		const base64 = sign(body, 'base64').slice(0, -1);
		const signatures = fc.constantFrom(hex, `sha256=${hex}`, sign(body, 'base64'));
		fc.assert(
			fc.property(place, bits, signatures, (at, by, signature) => {
				const mutated = Buffer.from(mutate(Buffer.from(signature), at, by)).toString('latin1');
				// A comma in place of a letter leaves what comes before or after it.
				const isSame = mutated.split(',').some((part) => {
					const text = part.trim().replace(/^sha256=/i, '');
					const plain = text.replace(/-/g, '+').replace(/_/g, '/').replace(/=$/, '');
					return text.toLowerCase() === hex || plain === base64;
				});
				return isSigned(body, mutated, [secret]) === isSame;
			}),
			{ seed, numRuns },
		);
	});
});
