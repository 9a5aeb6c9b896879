// 10,000 executions take minutes; a test that waits in vain says itself what it waited for.
jest.setTimeout(900_000);
