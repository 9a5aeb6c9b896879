import type { Endpoint } from '../http/endpoint';
import { balance } from './balance';
import { chatBulkSend } from './chatBulkSend';
import { chatCampaigns } from './chatCampaigns';
import { chatConfigs } from './chatConfigs';
import { chatSend } from './chatSend';
import { chatSendMedia } from './chatSendMedia';
import { chatSendTemplate } from './chatSendTemplate';
import { chatUpload } from './chatUpload';
import { createWebhook, deleteWebhook, listWebhooks } from './chatWebhooks';
import { emailSend } from './emailSend';
import { voiceCall } from './voiceCall';
import { voiceCallLogs } from './voiceCallLogs';

/** The endpoints in the order of docs/service.md, section 4.1. */
export const ENDPOINTS: readonly Endpoint[] = [
	balance,
	chatConfigs,
	chatSend,
	chatSendTemplate,
	chatSendMedia,
	chatUpload,
	chatBulkSend,
	chatCampaigns,
	createWebhook,
	listWebhooks,
	deleteWebhook,
	voiceCall,
	voiceCallLogs,
	emailSend,
];
