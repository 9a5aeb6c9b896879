// A hard fault and what n8n makes of it take minutes; a test that waits in vain says what for.
jest.setTimeout(400_000);
