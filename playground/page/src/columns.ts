import { useCallback, useSyncExternalStore } from 'react';
import { isRecord } from './answer';
import type { Table } from './table';

/** Names of hidden columns by the path of their table, which starts with the root field. The browser keeps names only, no data. */
type Hidden = Record<string, string[]>;

const KEY = 'labs:hidden-columns';
const listeners = new Set<() => void>();

/** Returns a table without its hidden columns. The first column and the tables of a single resource are always complete. */
export function shownPart(table: Table, hidden: string[]): Table {
  if (table.isThing || hidden.length === 0) return table;
  const kept = table.columns.map((column, index) => index === 0 || !hidden.includes(column));
  return { ...table, columns: table.columns.filter((_, index) => kept[index]), rows: table.rows.map((row) => row.filter((_, index) => kept[index])) };
}

/** Returns the hidden columns of a table, and a function that changes them for all later responses of its root field. */
export function useHiddenColumns(): [(table: Table) => string[], (table: Table, hidden: string[]) => void] {
  const text = useSyncExternalStore(subscribe, stored);
  const of = useCallback((table: Table) => parsed(text)[keyOf(table)] ?? [], [text]);
  const put = useCallback((table: Table, hidden: string[]) => {
    const { [keyOf(table)]: _before, ...others } = parsed(stored());
    localStorage.setItem(KEY, JSON.stringify(hidden.length > 0 ? { ...others, [keyOf(table)]: hidden } : others));
    for (const listener of listeners) listener();
  }, []);
  return [of, put];
}

function keyOf({ path }: Table): string {
  return path.join('.');
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function stored(): string {
  return localStorage.getItem(KEY) ?? '{}';
}

/** Another version of the page, or the user, can have written anything. */
function parsed(text: string): Hidden {
  try {
    const found: unknown = JSON.parse(text);
    const entries = Object.entries(isRecord(found) ? found : {}).filter(([, names]) => Array.isArray(names));
    return Object.fromEntries(entries.map(([key, names]) => [key, (names as unknown[]).map(String)]));
  } catch {
    return {};
  }
}
