import { isRecord } from './answer';
import { operationOf, type Operation } from './operation';
import { leavesOf } from './leaves';

/**
 * A query that lists values for a variable: one file in `finders/` with the name of the variable. Its first line is a comment with
 * the title. The query returns the value as `value`, and its other fields form the label. With a variable `$search` it searches
 * for the typed text. Any other variable must also be a variable of the user's query.
 */
export interface Finder {
  variable: string;
  title: string;
  text: string;
  operation: Operation;
}

export interface Choice {
  value: string;
  label: string;
}

const files = import.meta.glob<string>('../../finders/*.graphql', { query: '?raw', import: 'default', eager: true });

export const FINDERS: Map<string, Finder> = new Map(Object.entries(files).flatMap(([path, text]) => finderOf(path, text)));

function finderOf(path: string, text: string): [string, Finder][] {
  const variable = path.replace(/^.*\//, '').replace(/\.graphql$/, '');
  const operation = operationOf(text);
  return operation ? [[variable, { variable, title: text.split('\n')[0]?.replace(/^# /, '') ?? variable, text, operation }]] : [];
}

/** Returns the entries of a finder's response: the first list whose entries have a `value`. */
export function choicesOf(body: unknown): Choice[] {
  const list = listIn(isRecord(body) ? body.data : null) ?? [];
  return list.flatMap((entry) => {
    const { value, ...others } = entry;
    const label = leavesOf(others).map(([, text]) => text);
    return typeof value === 'string' ? [{ value, label: label.filter(Boolean).join(' · ') || value }] : [];
  });
}

function listIn(value: unknown): Record<string, unknown>[] | undefined {
  if (Array.isArray(value)) {
    const entries = value.filter(isRecord);
    return entries.some((entry) => 'value' in entry) ? entries : undefined;
  }
  if (!isRecord(value)) return undefined;
  for (const part of Object.values(value)) {
    const found = listIn(part);
    if (found) return found;
  }
  return undefined;
}
