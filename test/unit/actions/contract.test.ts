import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { describedOperations } from '../../support/operations';

// Saved workflows depend on these names and defaults: add to them, never change them.
const batching = 'options.batching.batch.batchSize=5 options.batching.batch.batchInterval=0';
const alone = 'options.timeout=60000';
const common = `${batching} ${alone}`;
const billable = `${common} options.resendUnknown=false options.idempotencyKey= options.simulate=never`;
const template = 'phone= templateName= configId language=en';
const answer =
	'responseType=approval approvalOptions.values.approvalType=double approvalOptions.values.approveLabel=Approve approvalOptions.values.disapproveLabel=Decline options.messageButtonLabel=Respond options.responseFormButtonLabel=Submit options.responseFormDescription= options.responseFormTitle= options.limitWaitTime.values.limitType=afterTimeInterval options.limitWaitTime.values.resumeAmount=1 options.limitWaitTime.values.resumeUnit=hours options.limitWaitTime.values.maxDateAndTime= options.timeout=60000 options.resendUnknown=false options.idempotencyKey= options.simulate=never';

const contract: Record<string, string> = {
	'account.getBalance': alone,
	'phoneNumber.getMany': alone,
	'chatMessage.send': `phone= message= imageUrl= ${billable}`,
	'chatMessage.sendTemplate': `${template} parametersMode=fields parametersUi.parameter.value= parametersJson=[] header=none headerParametersJson={} binaryPropertyName=data headerType=document otherHeaderType= headerFilename= options.allowBlankParameters=false ${billable}`,
	'chatMessage.sendMedia': `phone= mediaType=image mediaSource=url mediaUrl= mediaId= binaryPropertyName=data caption= filename= configId ${billable}`,
	'chatMessage.getMany': `returnAll=false limit=50 filters.status=Sent ${common}`,
	'chatMessage.getStats': alone,
	'chatMessage.sendAndWait': `phone= imageUrl= message= ${answer}`,
	'media.upload': `binaryPropertyName=data configId ${common}`,
	'bulkCampaign.create':
		'templateName= configId language=en recipientsSource=inputItems phoneField=phone paramsFields= nameField= headerValueField= headerMediaIdField= recipientsJson=[] campaignHeader=perRecipient headerValue= headerMediaId= binaryPropertyName=data options.allowBlankParameters=false options.invalidRecipients=stop options.removeDuplicates=false options.checkBalance=none options.chunkSize=10000 options.timeout=60000 options.resendUnknown=false options.idempotencyKey= options.simulate=never',
	'webhook.create': `url= events ${common}`,
	'webhook.getMany': alone,
	'webhook.delete': `webhookId= ${common}`,
	'voiceCall.create': `to= content=text text= audioUrl= aiAgentId= xmlId= voiceRoute=auto routeNumber= fromNumber= recipientName= options.waitForCompletion=false options.maxWait=300 options.pollInterval=5 ${billable}`,
	'voiceCall.getMany': `returnAll=false limit=50 filters.status=all filters.route= filters.search= filters.from= filters.to= ${common}`,
	'email.send': `to= subject= emailFormat=html html= text= options.fromName= options.replyTo= options.important=false ${billable}`,
	'email.sendAndWait': `to= subject= message= options.fromName= options.replyTo= options.important=false ${answer}`,
};

const { description } = new MessagingService();
/** Names of all leaves with their defaults, dotted as expressions name them. */
function leaves(fields: INodeProperties[], prefix = ''): string[] {
	return fields.flatMap(({ name, type, options = [], default: preset }) => {
		const path = `${prefix}${name}`;
		if (type === 'collection') return leaves(options as INodeProperties[], `${path}.`);
		if (type === 'fixedCollection') {
			const groups = options as INodePropertyCollection[];
			return groups.flatMap((group) => leaves(group.values, `${path}.${group.name}.`));
		}
		return [typeof preset === 'object' ? path : `${path}=${String(preset)}`];
	});
}

test('the node has the operations of the contract and no others', () => {
	expect(describedOperations.map(({ name }) => name).sort()).toEqual(Object.keys(contract).sort());
});

test.each(describedOperations)('$name has its parameters and defaults', (operation) => {
	const { name, fields, option } = operation;
	expect(leaves(fields).sort()).toEqual((contract[name] ?? '').split(' ').sort());
	expect(option.action).toMatch(/^[A-Z]/);
	expect(option.description).toMatch(/^[A-Z]/);
});

test('texts that can be typed have an example', () => {
	const typed = description.properties.filter(({ type }) => type === 'string' || type === 'json');
	const without = typed.filter(({ name, placeholder, default: preset }) =>
		!placeholder?.startsWith('e.g. ') && preset === '' ? name : undefined,
	);
	expect(without.map(({ name }) => name)).toEqual([]);
});
