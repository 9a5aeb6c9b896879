/** Statuses after which a call does not change any more (docs/service.md, section 3.3). */
export const endStatuses: ReadonlySet<string> = new Set(['success', 'no-answer', 'failed']);
