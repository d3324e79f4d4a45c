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

/** Returns the entries of a finder's response: every object that has a `value`, in order, each value once. */
export function choicesOf(body: unknown): Choice[] {
  const found = entriesIn(isRecord(body) ? body.data : null).flatMap(({ value, ...others }) => {
    const label = leavesOf(others).map(([, text]) => text);
    return typeof value === 'string' ? [{ value, label: label.filter(Boolean).join(' · ') || value }] : [];
  });
  return found.filter(({ value }, index) => found.findIndex((one) => one.value === value) === index);
}

function entriesIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(entriesIn);
  if (!isRecord(value)) return [];
  return 'value' in value ? [value] : Object.values(value).flatMap(entriesIn);
}
