/**
 * A test that fails runs once more: the editor is n8n's, and on a busy machine its own races lose a click now
 * and then. What fails twice is red. The first failure is printed.
 */
jest.retryTimes(1, { logErrorsBeforeRetry: true });
