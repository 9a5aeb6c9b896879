// n8n takes its time; a test that waits in vain says itself what it waited for.
jest.setTimeout(600_000);
