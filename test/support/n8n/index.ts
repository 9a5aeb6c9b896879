export { N8nApi } from './api';
export * from './builders';
export { N8nHttpError, OWNER } from './client';
export { Execution, type NodeRun, type RawExecution, type SavedError } from './execution';
export { N8n, startN8n, type StartOptions } from './n8n';
export { CACHE, HOST, PACKAGE_NAME, ROOT, TARBALL, TEMP } from './paths';
export { attachN8n } from './shared';
export { pause, waitFor } from './waiting';
export { Command, type CommandOptions } from './command';
