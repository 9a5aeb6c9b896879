/** An endpoint of the service (docs/service.md, section 4). */
export interface Endpoint {
	method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	/** Path below the base URL; `:name` is filled from the request's `params`. */
	path: string;
	scope?: string;
	/** Balance that pays for a request (docs/service.md, section 8). */
	paidFrom?: string;
	/** Advice by status, if the general advice does not fit (docs/service.md, section 7). */
	advice?: Partial<Record<number, string>>;
	/**
	 * Whether a response without the field `success` also counts as a success, because the response is not
	 * documented.
	 */
	anySuccess?: true;
	/**
	 * Whether responses contain a webhook's secret. Error messages then show only the field names of a
	 * response, not its values.
	 */
	hasSecret?: true;
	/** For paid requests: how to find out whether a request with an unknown outcome was carried out. */
	lookUpAdvice?: string;
}

/** The part of a request that is needed to judge its response and its failures. */
export interface Target {
	endpoint: Endpoint;
}

export interface ApiResponse {
	statusCode: number;
	headers: { location?: unknown; date?: unknown };
	/** A stream of bytes, parsed JSON, or a text that is not JSON. */
	body: unknown;
}

const chat = {
	paidFrom: 'chat credits',
	lookUpAdvice:
		'Before resending, look for the message with Chat Message > Get Many, or compare Account > Get Balance with its earlier value. A record may take a while to appear.',
};

const templateAdvice = {
	400: 'Correct the field that the error names. Template Name and Language must be those of an approved template, and each placeholder needs one value.',
};

/** Every endpoint that the package uses. No other file contains a path. */
export const endpoints = {
	getBalance: {
		method: 'GET',
		path: '/balance',
		scope: 'balance:read',
		// The general advice also mentions IDs; this request has none.
		advice: {
			404: 'Check that the base URL of the credential ends in the version segment, e.g. /api/v1.',
		},
	},
	getNumbers: { method: 'GET', path: '/chat/configs', scope: 'chat:send' },
	sendText: {
		method: 'POST',
		path: '/chat/send',
		scope: 'chat:send',
		paidFrom: 'chat credits',
		// Whether and when such a message gets a record is not documented (docs/service.md, section 10).
		lookUpAdvice:
			'Before resending, compare Account > Get Balance with its earlier value. Chat Message > Get Many may not list this kind of message.',
		advice: {
			500: 'Check that the browser session of the chat channel is active on the dashboard. If the service took a screenshot, the details contain it.',
		},
	},
	sendTemplate: {
		method: 'POST',
		path: '/chat/send-template',
		scope: 'chat:send-template',
		...chat,
		advice: templateAdvice,
	},
	// docs/service.md, section 10.10
	sendMedia: {
		method: 'POST',
		path: '/chat/send-media',
		scope: 'chat:send',
		...chat,
		anySuccess: true,
		advice: {
			400: 'Correct the field that the error names. Media Type must be that of the file: Image, Video, Audio or Document.',
		},
	},
	upload: { method: 'POST', path: '/chat/upload', scope: 'chat:send' },
	sendBulk: {
		method: 'POST',
		path: '/chat/bulk-send',
		scope: 'chat:bulk-send',
		paidFrom: 'chat credits',
		advice: templateAdvice,
		lookUpAdvice:
			'Before resending, compare Chat Message > Get Stats and Account > Get Balance with their earlier values.',
	},
	getMessages: { method: 'GET', path: '/chat/campaigns', scope: 'chat:campaigns' },
	createWebhook: { method: 'POST', path: '/chat/webhooks', scope: 'chat:send', hasSecret: true },
	getWebhooks: { method: 'GET', path: '/chat/webhooks', scope: 'chat:send', hasSecret: true },
	deleteWebhook: {
		method: 'DELETE',
		path: '/chat/webhooks',
		scope: 'chat:send',
		advice: { 404: 'Check the ID. The webhook may already have been deleted.' },
	},
	placeCall: {
		method: 'POST',
		path: '/voice/call',
		scope: 'voice:calls',
		paidFrom: 'voice minutes',
		lookUpAdvice: 'Before you call again, look for the call with Voice Call > Get Many.',
		advice: {
			500: 'The documented reason is that the account has no credentials for the voice route of this call. Have them configured, or choose another voice route.',
		},
	},
	getCalls: { method: 'GET', path: '/voice/call-logs', scope: 'voice:calls' },
	sendEmail: {
		method: 'POST',
		path: '/email/send',
		scope: 'email:send',
		paidFrom: 'email credits',
		lookUpAdvice:
			'Before resending, look for the email in the sent mail of the SMTP account, or compare Account > Get Balance with its earlier value.',
		advice: {
			400: 'Correct the field that the error names. If it names the SMTP server, set that up in the account.',
			500: "The documented reason is that the account's mail server rejected the message. Check the recipients and the account's SMTP settings.",
		},
	},
} satisfies Record<string, Endpoint>;
