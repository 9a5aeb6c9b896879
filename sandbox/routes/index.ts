import type { Endpoint } from '../http/endpoint';
import { balance, chatConfigs } from './account';
import { chatCampaigns, chatSend } from './chatMessages';
import { chatSendMedia, chatUpload } from './chatMedia';
import { chatBulkSend, chatSendTemplate } from './chatTemplates';
import { createWebhook, deleteWebhook, listWebhooks } from './chatWebhooks';
import { emailSend } from './email';
import { voiceCall, voiceCallLogs } from './voiceCalls';

/** Every endpoint of the service, in the order of docs/service.md, section 4.1. */
export const allEndpoints: readonly Endpoint[] = [
	balance,
	chatConfigs,
	chatSend,
	chatCampaigns,
	chatSendTemplate,
	chatBulkSend,
	chatSendMedia,
	chatUpload,
	createWebhook,
	listWebhooks,
	deleteWebhook,
	voiceCall,
	voiceCallLogs,
	emailSend,
];
