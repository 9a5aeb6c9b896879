import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { isSigned } from '../../../nodes/MessagingService/trigger/signature';

const secret = 'a secret of the test';
const body = Buffer.from('{"event":"message.delivered","data":{"to":"447700900210"}}');

const sign = (bytes: Uint8Array, encoding: 'hex' | 'base64' | 'base64url' = 'hex', key = secret) =>
	createHmac('sha256', key).update(bytes).digest(encoding);

test.each([
	['hex', sign(body)],
	['base64', sign(body, 'base64')],
	['hex with prefix', `sha256=${sign(body)}`],
	['hex with prefix, all in capitals', `sha256=${sign(body)}`.toUpperCase()],
	['hex with a colon after the prefix', `sha256:${sign(body)}`],
	['base64 with the long prefix', `hmac-sha256=${sign(body, 'base64')}`],
	['base64 without padding', sign(body, 'base64').slice(0, -1)],
	['base64url', sign(body, 'base64url')],
	['base64url with padding', `${sign(body, 'base64url')}=`],
	['after a comma and a space', `x, ${sign(body)}`],
	['one of five', `x,sha256=${sign(body, 'hex', 'another')}, ,,${sign(body)}`],
])('accepts %s', (_name, signature) => {
	expect(isSigned(body, signature, [secret])).toBe(true);
});

test.each([
	['empty', ''],
	['the prefix alone', 'sha256='],
	['too long', `${sign(body)}0`],
	['the sixth', `1,2,3,4,5,${sign(body)}`],
	['separated by a space', `x ${sign(body)}`],
	['of another secret', sign(body, 'hex', 'another')],
	['of another body', sign(Buffer.from('{}'))],
	['base64 without its end', sign(body, 'base64').slice(0, -2)],
	['base64 with too much padding', `${sign(body, 'base64')}=`],
	['base64 of another length', Buffer.from(sign(body)).toString('base64')],
	['with its prefix behind', `${sign(body)}sha256=`],
	['with another prefix', `sha1=${sign(body)}`],
])('rejects one that is %s', (_name, signature) => {
	expect(isSigned(body, signature, [secret])).toBe(false);
});

test('accepts any of several secrets, and nothing without one', () => {
	const signature = sign(body);
	expect(isSigned(body, signature, ['another', secret])).toBe(true);
	expect(isSigned(body, signature, ['another', 'and another'])).toBe(false);
	expect(isSigned(body, signature, [])).toBe(false);
});

test('no change of the body or of the signature is accepted', () => {
	const signature = Buffer.from(sign(body), 'hex');
	fc.assert(
		fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (place, by) => {
			const changed = (bytes: Buffer) =>
				bytes.map((byte, at) => (at === place % bytes.length ? byte ^ by : byte));
			expect(isSigned(changed(body), signature.toString('hex'), [secret])).toBe(false);
			const forged = Buffer.from(changed(signature)).toString('hex');
			expect(isSigned(body, forged, [secret])).toBe(false);
		}),
	);
});
