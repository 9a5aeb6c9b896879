import { z } from 'zod';
import { costs } from '../documented';
import type { Endpoint } from '../http/endpoint';
import { ServiceError } from '../http/error';
import { schema } from '../http/validate';

const optionalText = z.string().default('');
const address = z.string().email();

const body = schema({
	to: optionalText,
	subject: optionalText,
	html: optionalText,
	text: optionalText,
	fromName: z.string().optional(),
	replyTo: z.string().optional(),
	important: z.boolean().optional(),
});

/** The addresses of a comma-separated list; 400 for one that is none, where they are checked. */
function recipients(to: string): string[] {
	const addresses = to.split(',').map((one) => one.trim());
	const wrong = addresses.find((one) => !address.safeParse(one).success);
	if (wrong === undefined) return addresses;
	throw new ServiceError(400, `'${wrong}' is not a valid email address`);
}

/** POST /email/send (docs/service.md, section 4.15). */
export const emailSend: Endpoint = {
	method: 'POST',
	path: '/email/send',
	scope: null,
	handle: (context) => {
		const { random, emails } = context.state;
		const { to, subject, html, text } = context.body(body);
		if ([to, subject, html + text].some((one) => one.trim() === ''))
			throw new ServiceError(400, 'to, subject and either html or text are required');
		const addresses = recipients(to);
		const charged = context.charge('emailBalance', addresses.length * costs.emailRecipient);
		const messageId = `<${random.uuid()}@sandbox.example>`;
		emails.push({ messageId, sentAt: context.service.now(), to: addresses, subject, html, text });
		for (const recipient of addresses) {
			const content = { emailId: messageId, status: 'delivered', recipient };
			context.service.deliveries.announceOnDashboard('emailStatus', content);
		}
		return { success: true, messageId, ...charged };
	},
};
