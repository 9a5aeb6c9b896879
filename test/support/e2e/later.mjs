// What is loaded before a program lets it live eleven minutes ahead.
const now = Date.now;
Date.now = () => now() + 11 * 60 * 1_000;
