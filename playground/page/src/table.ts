import { isRecord } from './answer';
import { leavesOf } from './leaves';

/** One cell: its text, and the way to it in the entry that it belongs to. */
export interface Cell {
  text: string;
  path: string[];
  /** The entry as it was answered. */
  entry: Record<string, unknown>;
}

/** A part of an answer as a table. */
export interface Table {
  /** Where it stands in the answer: the root field first. */
  path: string[];
  columns: string[];
  rows: Cell[][];
  /** Whether it is one thing with its fields below each other, and not a list. */
  isThing: boolean;
}

/** An answer's lists and things as tables, in the order of the answer. A list inside a thing is a table of its own. */
export function tablesOf(body: unknown): Table[] {
  const data = isRecord(body) && isRecord(body.data) ? body.data : {};
  return Object.entries(data).flatMap(([name, value]) => {
    if (isRecord(value) && Array.isArray(value.data)) return [...besideList(name, value), listTable([name], value.data)];
    if (Array.isArray(value)) return [listTable([name], value)];
    return isRecord(value) ? thingTables([name], value) : [];
  });
}

/** The list that a table view is mostly about: that with the most rows. */
export function mainTableOf(tables: Table[]): Table | undefined {
  const lists = tables.filter(({ isThing }) => !isThing);
  return [...(lists.length > 0 ? lists : tables)].sort((a, b) => b.rows.length - a.rows.length)[0];
}

/** The table's cells as texts, with the names of the columns first. */
export function textsOf({ columns, rows }: Table): string[][] {
  return [columns, ...rows.map((row) => row.map(({ text }) => text))];
}

/** What an answer says beside its list: the days of a report, for example. The page's own fields are no content. */
function besideList(name: string, { data: _list, page: _page, has_more: _more, ...others }: Record<string, unknown>): Table[] {
  return Object.keys(others).length > 0 ? thingTables([name], others) : [];
}

function listTable(path: string[], list: unknown[]): Table {
  const entries = list.map((entry) => (isRecord(entry) ? entry : { value: entry }));
  const columns = [...new Set(entries.flatMap((entry) => leavesOf(entry).map(([at]) => at.join('.'))))];
  // If one entry has an object and another has null, the null adds nothing to the object's columns.
  const shown = columns.filter((column) => !columns.some((other) => other.startsWith(`${column}.`)));
  const rows = entries.map((entry) => {
    const texts = new Map(leavesOf(entry).map(([at, text]) => [at.join('.'), text]));
    return shown.map((column) => ({ text: texts.get(column) ?? '', path: column.split('.'), entry }));
  });
  return { path, columns: shown, rows, isThing: false };
}

function thingTables(path: string[], thing: Record<string, unknown>): Table[] {
  const leaves = leavesOf(thing);
  const rows = leaves.map(([at, text]) => [
    { text: at.join('.'), path: [], entry: thing },
    { text, path: at, entry: thing },
  ]);
  const inner = leaves.flatMap(([at]) => {
    const list = at.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), thing);
    return Array.isArray(list) && list.some(isRecord) ? [listTable([...path, ...at], list)] : [];
  });
  return [{ path, columns: ['field', 'value'], rows, isThing: true }, ...inner];
}

/** The object that a cell's value stands in. */
export function parentOf({ entry, path }: Cell): Record<string, unknown> {
  const parent = path.slice(0, -1).reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), entry);
  return isRecord(parent) ? parent : entry;
}

