import type { ApiRequest } from './request';

/** What the user needs to know about an endpoint when it does not do what was asked. */
interface Endpoint {
	/** Scope that the key needs (docs/service.md, section 4.1). */
	scope?: string;
	/** Balance that a request is paid from (docs/service.md, section 8.2). */
	balance?: string;
	/** What a status 500 means here (docs/service.md, section 7). */
	serverFailure?: string;
	/** How to find out whether a request with an unknown outcome was carried out. */
	check?: string;
}

const chatRecords =
	'Look for it with Chat Message > Get Many (newest first) or compare Account > Get Balance before sending it again.';

const endpoints: Record<string, Endpoint> = {
	'/balance': { scope: 'balance:read' },
	'/chat/configs': { scope: 'chat:send' },
	'/chat/send': {
		scope: 'chat:send',
		balance: 'chat credits',
		serverFailure:
			'Check that the browser session of the chat channel is active on the dashboard, then send again. Details has a screenshot if the service took one.',
		check: chatRecords,
	},
	'/chat/send-template': {
		scope: 'chat:send-template',
		balance: 'chat credits',
		check: chatRecords,
	},
	'/chat/send-media': { scope: 'chat:send', balance: 'chat credits', check: chatRecords },
	'/chat/upload': { scope: 'chat:send' },
	'/chat/bulk-send': {
		scope: 'chat:bulk-send',
		balance: 'chat credits',
		check:
			'Compare Chat Message > Get Stats and Account > Get Balance with their values before, or look on the dashboard for the campaign, before creating it again.',
	},
	'/chat/campaigns': { scope: 'chat:campaigns' },
	'/chat/webhooks': { scope: 'chat:send' },
	'/voice/call': {
		scope: 'voice:calls',
		balance: 'voice minutes',
		serverFailure:
			'Check on the dashboard that credentials are configured for the voice route of this call, or choose another voice route.',
		check: 'Look for the call with Voice Call > Get Many before calling again.',
	},
	'/voice/call-logs': { scope: 'voice:calls' },
	'/email/send': {
		balance: 'email credits',
		scope: 'email:send',
		serverFailure:
			"The account's mail server did not accept the message. Check the recipients and the SMTP settings on the dashboard.",
		check:
			'Look into the sent mail of the SMTP account or compare Account > Get Balance before sending it again.',
	},
};

/** What is known about a request's endpoint; an empty object for an unknown path. */
export const endpointOf = (request: ApiRequest): Endpoint => endpoints[request.path] ?? {};
