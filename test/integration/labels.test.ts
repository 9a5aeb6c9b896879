import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { isJsonObject } from '../../nodes/MessagingService/api/response';
import type { RequestEntry } from '../../sandbox/journal';
import { useSandbox } from '../support/core/useSandbox';
import { describedOperations, goodParameters } from '../support/operations';

const sandbox = useSandbox();

const uuid = '3f2b8f1e-52c1-4f5e-8a8e-6d1a0e9b7c11';
const item = {
	json: { phone: '919876543210' },
	binary: {
		data: {
			data: Buffer.from('%PDF').toString('base64'),
			mimeType: 'application/pdf',
			fileName: 'a.pdf',
		},
	},
};

/** Choices under which an operation sends other fields than by default. */
const choices: Record<string, INodeParameters[]> = {
	'bulkCampaign.create': [{ recipientsSource: 'inputItems', phoneField: 'phone' }],
	'chatMessage.getMany': [{ filters: { status: 'Sent' } }],
	'chatMessage.send': [{ imageUrl: 'https://host.example/a.png' }],
	'chatMessage.sendMedia': [
		{ mediaType: 'document', caption: 'C', filename: 'a.pdf' },
		{ mediaSource: 'mediaId', mediaId: '1' },
		{ mediaSource: 'binary', mediaType: 'document' },
	],
	'chatMessage.sendTemplate': [
		{ parametersUi: { parameter: [{ value: 'Anna' }, { value: '12:30' }] } },
		{ parametersMode: 'json', parametersJson: '["Anna", "12:30"]' },
		{ header: 'json', headerParametersJson: '{"type": "image"}' },
		{ header: 'binary' },
	],
	'email.send': [
		{ emailFormat: 'both', html: '<p>Hi</p>', text: 'Hi' },
		{ options: { fromName: 'Shop', replyTo: 'a@host.example', important: true } },
	],
	'voiceCall.create': [
		{ text: 'Hi', fromNumber: '+918047104710', recipientName: 'Anna' },
		{ content: 'audioUrl', audioUrl: 'https://host.example/a.mp3' },
		{ content: 'aiAgent', aiAgentId: uuid },
		{ content: 'xmlTemplate', xmlId: uuid },
	],
	'voiceCall.getMany': [{ filters: { status: 'success', route: 'carrier_in1', search: '98' } }],
};

const cases = describedOperations.flatMap(({ name, choice, fields }) =>
	[{}, ...(choices[name] ?? [])].map((own) => {
		const parameters: INodeParameters = { ...choice, ...goodParameters[name], ...own };
		return { name, own: JSON.stringify(own), parameters, fields };
	}),
);

/** Everything that the editor calls a parameter of an operation. */
const labelsIn = (fields: INodeProperties[]): string[] =>
	fields.flatMap(({ type, displayName, options }) => [
		displayName,
		...(type === 'collection' ? labelsIn(options as INodeProperties[]) : []),
	]);

/** The fields of a request: of its query, its JSON, or its form, which may have a file. */
function fieldsOf({ body, query }: RequestEntry): string[] {
	const { fields, files, ...json } = isJsonObject(body) ? body : {};
	const form = files === undefined ? [] : [...Object.keys(fields ?? {}), 'file'];
	return [...Object.keys(query), ...Object.keys(json), ...form];
}

/** What the sandbox says of a request in which a field is missing or odd. */
async function complaints(request: RequestEntry, field: string): Promise<string[]> {
	const { method, path, body } = request;
	const { baseUrl, apiKey } = sandbox.credential();
	const texts = new Set<string>();
	for (const value of [undefined, '', 'x', {}]) {
		const isRead = method !== 'POST';
		const query = isRead && value !== undefined ? `?${field}=${JSON.stringify(value)}` : '';
		const response = await fetch(`${baseUrl}${path}${query}`, {
			method,
			headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
			...(isRead ? {} : { body: JSON.stringify({ ...(body as object), [field]: value }) }),
		});
		const answer = (await response.json()) as { error?: string };
		if (response.status === 400 && answer.error !== undefined) texts.add(answer.error);
	}
	return [...texts];
}

test.each(cases)(
	'a refusal of $name names its fields as the editor does: $own',
	async ({ parameters, fields }) => {
		const labels = ['the parameters', ...labelsIn(fields)];
		// Also a request that finds nothing shows its fields.
		await sandbox.run(parameters, { items: [item] }).catch(() => undefined);
		const requests = await sandbox.requests();
		const named = new Map<string, string>();
		for (const request of requests) {
			for (const field of fieldsOf(request)) {
				const texts = await complaints(request, field);
				for (const error of [...texts, `Invalid ${field}: must not be empty`]) {
					const { path } = request;
					const fault = { kind: 'status', path, status: 400, body: { error } } as const;
					await sandbox.control.addFault(fault);
					const failure = await sandbox.failure(parameters, { items: [item] });
					expect(failure.message).toBe(error);
					const [, check = ''] = /^Check (.*?)[.:]/.exec(failure.description ?? '') ?? [];
					named.set(error, check);
				}
			}
		}
		for (const [error, check] of named) {
			const strangers = check.split(/, | and /).filter((one) => !labels.includes(one));
			expect({ error, check, strangers }).toEqual({ error, check, strangers: [] });
		}
		const isOwnWork = (error: string) => /^Invalid (page|pageSize|limit): /.test(error);
		const vague = [...named].filter(
			([error, check]) => check === 'the parameters' && !isOwnWork(error),
		);
		expect(vague).toEqual([]);
	},
);
