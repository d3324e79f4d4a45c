import { isRecord } from './answer';

/** Returns the leaves of an object, each with its path. A list of objects becomes the number of its entries. */
export function leavesOf(value: unknown, path: string[] = []): [string[], string][] {
  if (isRecord(value)) return Object.entries(value).flatMap(([key, part]) => leavesOf(part, [...path, key]));
  return [[path, textOfLeaf(value)]];
}

export function textOfLeaf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (!Array.isArray(value)) return isRecord(value) ? JSON.stringify(value) : String(value);
  if (value.some(isRecord)) return value.length === 1 ? '1 entry' : `${value.length} entries`;
  return value.map(textOfLeaf).join(', ');
}
