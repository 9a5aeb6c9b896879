import { z } from 'zod';
import { TEXTS } from '../choices';
import { COSTS } from '../documented';
import { ok } from '../http/answer';
import { always, type Endpoint } from '../http/endpoint';
import { ServiceError } from '../http/serviceError';
import { charge, requireBalance } from '../state/account';
import { validate } from './validate';

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
	if (wrong !== undefined) throw new ServiceError(400, TEXTS.emailAddress(wrong));
	return addresses;
}

/** POST /email/send (docs/service.md, section 4.15 and 7.6). */
export const emailSend: Endpoint = {
	method: 'POST',
	path: '/email/send',
	scope: always(null),
	handle: (context) => {
		const { account, ids, smtp } = context.world.state;
		const { to, subject, html, text } = validate(body, context.json());
		const isComplete = [to, subject, html + text].every((one) => one.trim() !== '');
		if (!isComplete) throw new ServiceError(400, TEXTS.emailFields);
		const cost = recipients(to).length * COSTS.emailRecipient;
		if (smtp === 'none') throw new ServiceError(400, TEXTS.smtpMissing);
		requireBalance(account, 'emailBalance', cost);
		if (smtp === 'rejecting') throw new ServiceError(500, TEXTS.smtpRejected);
		const remainingBalance = charge(account, 'emailBalance', cost);
		const messageId = `<${ids.uuid()}@sandbox.example>`;
		return ok({ success: true, messageId, cost, remainingBalance });
	},
};
