import { isRecord } from './answer';
import { operationOf, type Operation } from './operation';
import { leavesOf } from './leaves';

/**
 * A query that lists values for a variable: one file in `finders/` with the name of the variable. Its first line is a comment with
 * the title. The query returns the value as `value`, and its other fields form the label. With a variable `$search` it searches
 * for the typed text. Any other variable must also be a variable of the user's query. A file `<variable>.<source>.graphql` is for
 * users who cannot run the first one.
 */
export interface Finder {
  variable: string;
  title: string;
  text: string;
  operation: Operation;
  /** Other queries for the same variable. */
  others: Finder[];
}

export interface Choice {
  value: string;
  label: string;
}

const files = import.meta.glob<string>('../../finders/*.graphql', { query: '?raw', import: 'default', eager: true });

export const FINDERS: Map<string, Finder> = new Map();

for (const [path, text] of Object.entries(files).sort(([a], [b]) => a.length - b.length)) {
  const [variable = ''] = path.replace(/^.*\//, '').split('.');
  const operation = operationOf(text);
  if (!operation) continue;
  const finder = { variable, title: text.split('\n')[0]?.replace(/^# /, '') ?? variable, text, operation, others: [] };
  const first = FINDERS.get(variable);
  if (first) first.others.push(finder);
  else FINDERS.set(variable, finder);
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
