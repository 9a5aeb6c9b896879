/** Levels that a response may be nested; the documented ones have four. */
const deepest = 100;

/** A response that is nested deeper than any step after this one could follow. */
export class NestedTooDeep extends Error {}

/** Keys that stand in the way of copying a value, or of reading it as text or number. */
const harmful = ['__proto__', 'toString', 'valueOf'];

/**
 * Takes from a response the keys that would harm whoever copies or reads it.
 *
 * @param value JSON that was just read; it is changed in place
 * @throws NestedTooDeep
 */
export function tame(value: unknown, level = 0): void {
	if (typeof value !== 'object' || value === null) return;
	if (level > deepest) throw new NestedTooDeep();
	for (const key of harmful) if (Object.hasOwn(value, key)) Reflect.deleteProperty(value, key);
	for (const part of Object.values(value)) tame(part, level + 1);
}
