import type { Sandbox } from '../../../sandbox';

/** Posts to the service as another program of the same account would. */
export const askService = async (
	{ baseUrl, keys }: Sandbox,
	path: string,
	body: object,
): Promise<Response> =>
	await fetch(`${baseUrl}${path}`, {
		method: 'POST',
		headers: { 'x-api-key': keys.production, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
