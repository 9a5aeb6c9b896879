import { NodeApiError, type JsonObject } from 'n8n-workflow';
import { connectionFailure } from '../../../nodes/MessagingService/api/connectionError';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { node } from '../../../harness/builders';

const send = node('Send', 'n8n-nodes-messaging-service.messagingService');

/** What older versions of n8n throw: the error of a request whose cause they have dropped. */
const withoutCause = (text: string): NodeApiError =>
	Object.assign(new NodeApiError(send, new Error(text) as unknown as JsonObject), {
		cause: undefined,
	});

describe('a failed request of which n8n has kept the text alone', () => {
	test.each([
		['socket hang up', 'unknown', 'ECONNRESET', false],
		['read ECONNRESET', 'unknown', 'ECONNRESET', false],
		['write EPIPE', 'unknown', 'EPIPE', false],
		['timeout of 300000ms exceeded', 'unknown', 'ECONNABORTED', false],
		['canceled', 'unknown', 'ERR_CANCELED', false],
		['nobody knows what this means', 'unknown', undefined, false],
		['connect ECONNREFUSED 127.0.0.1:9', 'notSent', 'ECONNREFUSED', true],
		['connect EHOSTUNREACH 192.0.2.1:443', 'notSent', 'EHOSTUNREACH', true],
		['getaddrinfo ENOTFOUND host.example', 'notSent', 'ENOTFOUND', true],
		['getaddrinfo EAI_AGAIN host.example', 'notSent', 'EAI_AGAIN', true],
	])('%s: %s', (text, outcome, code, neverConnected) => {
		const request = { endpoint: endpoints.sendText, body: {} } as const;
		const failure = connectionFailure(withoutCause(text), request, 'https://host.example/api/v1');
		expect({ ...failure, code: failure.facts.code }).toMatchObject({
			outcome,
			code,
			neverConnected,
			statusCode: null,
		});
	});
});
