/** Levels that a response may be nested; the documented ones have four. */
const deepest = 100;

/** A response that is nested deeper than any step after this one could follow. */
export class NestedTooDeep extends Error {}

/**
 * Takes from a response what would harm whoever copies it: the key `__proto__`.
 *
 * @param value JSON that was just read; it is changed in place
 * @throws NestedTooDeep
 */
export function tame(value: unknown, level = 0): void {
	if (typeof value !== 'object' || value === null) return;
	if (level > deepest) throw new NestedTooDeep();
	if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
	for (const part of Object.values(value)) tame(part, level + 1);
}
