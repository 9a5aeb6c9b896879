/** Only to end a test that hangs: every wait in it has a limit of its own that names what it waits for. */
jest.setTimeout(300_000);
