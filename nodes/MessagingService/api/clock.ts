import type { ApiRequest, Call } from './client';

/** Tolerance in milliseconds when times are compared without knowing the service's clock. */
export const clockSlack = 60_000;

/**
 * The service's clock, measured on the header `Date` of its responses. Whatever is compared with times of the service
 * is first translated with it, because n8n's clock may differ (docs/service.md, section 10.47).
 */
export class ServiceClock {
	/** Lower bound of the service's time minus n8n's, in milliseconds; undefined until a response shows it. */
	ahead: number | undefined;

	/** Makes calls whose responses show the clock. */
	timed(call: Call): Call {
		return async (request, options) => {
			const onTimed: ApiRequest['onTimed'] = (began, ahead) => {
				request.onTimed?.(began, ahead);
				if (ahead !== undefined) this.ahead = Math.max(this.ahead ?? ahead, ahead);
			};
			return await call({ ...request, onTimed }, options);
		};
	}

	/** Milliseconds by which `earliest` may be too early because no response shows the clock. */
	get tolerance(): number {
		return this.ahead === undefined ? clockSlack : 0;
	}

	/** The earliest time that the service's clock can have shown at this moment of n8n's clock, in milliseconds. */
	earliest(moment: number): number {
		return moment + (this.ahead ?? 0) - this.tolerance;
	}
}
