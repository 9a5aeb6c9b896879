import type { World } from '../world';

/** What a test or a person wants to know first: keys, what is there, and how it is set. */
export function info({ state, variants, lifecycle, clock, faults }: World) {
	return {
		seed: state.seed,
		clock: { now: clock.now(), manual: clock.manual },
		keys: { production: state.keys.production, test: state.keys.test },
		allKeys: state.keys.list(),
		account: state.account,
		chatNumbers: state.chatNumbers.list(),
		templates: state.templates.list(),
		smtp: state.smtp,
		voiceRoutes: state.voiceRoutes,
		chatSession: state.chatSession,
		lifecycle,
		variants,
		faults: faults.list(),
	};
}
export type Info = ReturnType<typeof info>;
