/** The endpoints in the order of docs/service.md, section 4.1; a new one is a new file and a line here. */
export { balance, chatConfigs } from './account';
export { chatSend, chatCampaigns } from './chatMessages';
export { chatSendTemplate, chatBulkSend } from './chatTemplates';
export { chatSendMedia, chatUpload } from './chatMedia';
export { createWebhook, listWebhooks, deleteWebhook } from './chatWebhooks';
export { voiceCall, voiceCallLogs } from './voiceCalls';
export { emailSend } from './email';
