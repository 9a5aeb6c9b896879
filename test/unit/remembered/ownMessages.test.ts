import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import {
	isOwnMessage,
	noteOwnMessage,
} from '../../../nodes/MessagingService/remembered/ownMessages';

const trigger = 'n8n-nodes-messaging-service.messagingServiceTrigger';

/** An execution of a workflow, as far as a node sees what has started it. */
const execution = (id: string, type?: string) =>
	({
		getWorkflow: () => ({ id }),
		getExecutionContext: () => (type === undefined ? undefined : { triggerNode: { type } }),
	}) as unknown as IExecuteFunctions;

test.each<[string, string | undefined, IDataObject, boolean]>([
	['that the trigger has started', trigger, { providerMessageId: 'a' }, true],
	['whose response has a number as ID', trigger, { providerMessageId: 7 }, true],
	['without an ID', trigger, { success: true }, false],
	['of a schedule', 'n8n-nodes-base.scheduleTrigger', { providerMessageId: 'b' }, false],
	[
		'of the polling trigger',
		`${trigger.slice(0, -7)}PollingTrigger`,
		{ providerMessageId: 'c' },
		false,
	],
	['of an n8n that does not show its trigger', undefined, { providerMessageId: 'd' }, false],
])('the message of an execution %s', (_name, type, response, isOwn) => {
	const own = execution('w1', type);
	noteOwnMessage(own, response);
	const id = String(response.providerMessageId ?? '');
	expect(isOwnMessage(own, id)).toBe(isOwn);
	expect(isOwnMessage(execution('w2'), id)).toBe(false);
});

test('the newest 10,000 are known', () => {
	const own = execution('w', trigger);
	for (let n = 0; n <= 10_000; n++) noteOwnMessage(own, { providerMessageId: `m${n}` });
	expect([0, 1, 10_000].map((n) => isOwnMessage(own, `m${n}`))).toEqual([false, true, true]);
});
