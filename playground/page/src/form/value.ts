import { isRecord } from '../answer';
import type { Path } from './uses';

/** Returns the value at a path below the variables, or undefined. */
export function valueAt(values: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (Array.isArray(at) ? at[Number(key)] : isRecord(at) ? at[key] : undefined), values);
}

/** Returns a copy with another value at a path. The value undefined removes the key. Missing objects and lists are added. */
export function withValue(values: unknown, [key, ...below]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === 'number') {
    const list: unknown[] = Array.isArray(values) ? [...values] : [];
    list[key] = withValue(list[key], below, value);
    return list;
  }
  const { [key]: before, ...others } = isRecord(values) ? values : {};
  const after = withValue(before, below, value);
  if (after === undefined) return others;
  // The key keeps its position, so that the text of the variables changes in one line only.
  return isRecord(values) && key in values ? { ...values, [key]: after } : { ...others, [key]: after };
}

/** Returns whether a value is missing: not set, null, an empty text or an empty list. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The variables in an editor's text. An empty text has none. Returns null if the text is not a JSON object. */
export function valuesOf(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const values: unknown = JSON.parse(text);
    return isRecord(values) ? values : null;
  } catch {
    return null;
  }
}
