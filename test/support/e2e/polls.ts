/** Poll times of every five seconds: n8n's shortest interval is a minute, but it accepts several times of a minute. */
export const pollTimes = {
	item: [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55].map((second) => ({
		mode: 'custom',
		cronExpression: `${second} * * * * *`,
	})),
};
