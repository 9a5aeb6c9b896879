import { z } from 'zod';
import { COSTS } from '../documented';
import { ServiceError, ok, type Endpoint } from '../http/endpoint';
import { validate } from '../http/validate';
import { charge, requireBalance } from '../state/account';

const optionalText = z.string().default('');
const address = z.string().email();

const body = z.object({
	to: optionalText,
	subject: optionalText,
	html: optionalText,
	text: optionalText,
	fromName: z.string().optional(),
	replyTo: z.string().optional(),
	important: z.boolean().optional(),
});

/** The addresses of a comma-separated list; 400 for one that is none. */
function recipients(to: string): string[] {
	const addresses = to.split(',').map((one) => one.trim());
	const wrong = addresses.find((one) => !address.safeParse(one).success);
	if (wrong === undefined) return addresses;
	throw new ServiceError(400, `'${wrong}' is not a valid e-mail address`);
}

/** POST /email/send (docs/service.md, section 4.15 and 7.6). */
export const emailSend: Endpoint = {
	method: 'POST',
	path: '/email/send',
	scope: null,
	handle: (context) => {
		const { account, ids, smtp } = context.service.state;
		const { to, subject, html, text } = validate(body, context.json());
		const isComplete = [to, subject, html + text].every((one) => one.trim() !== '');
		if (!isComplete) {
			throw new ServiceError(400, 'to, subject and either html or text are required');
		}
		const cost = recipients(to).length * COSTS.emailRecipient;
		if (smtp === 'none') throw new ServiceError(400, 'SMTP is not configured for this account');
		requireBalance(account, 'emailBalance', cost);
		if (smtp === 'rejecting') throw new ServiceError(500, 'The SMTP provider rejected the message');
		const remainingBalance = charge(account, 'emailBalance', cost);
		const messageId = `<${ids.uuid()}@sandbox.example>`;
		return ok({ success: true, messageId, cost, remainingBalance });
	},
};
