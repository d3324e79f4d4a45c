import { isRecord } from './answer';
import { leavesOf } from './leaves';

/** A cell: its text, and its path in the entry. */
export interface Cell {
  text: string;
  path: string[];
  /** The entry of the response. */
  entry: Record<string, unknown>;
}

/** A part of a response as a table. */
export interface Table {
  /** Path in the response, starting with the root field. */
  path: string[];
  columns: string[];
  rows: Cell[][];
  /** Whether the table shows the fields of one resource instead of a list. */
  isThing: boolean;
}

/** Converts the lists and resources of a response to tables, in order. A list inside a resource becomes a separate table. */
export function tablesOf(body: unknown): Table[] {
  const data = isRecord(body) && isRecord(body.data) ? body.data : {};
  return Object.entries(data).flatMap(([name, value]) => {
    if (isRecord(value) && Array.isArray(value.data)) return [...besideList(name, value), listTable([name], value.data)];
    if (Array.isArray(value)) return [listTable([name], value)];
    return isRecord(value) ? thingTables([name], value) : [];
  });
}

/** Returns the list with the most rows. */
export function mainTableOf(tables: Table[]): Table | undefined {
  const lists = tables.filter(({ isThing }) => !isThing);
  return [...(lists.length > 0 ? lists : tables)].sort((a, b) => b.rows.length - a.rows.length)[0];
}

/** Returns the tables of a single entry of a list, whose long texts a row of one line would cut off. */
export function tablesOfEntry({ path, rows: [row] }: Table): Table[] {
  return row?.[0] ? thingTables(path, row[0].entry) : [];
}

/** Returns the texts of the cells, with the column names as first row. */
export function textsOf({ columns, rows }: Table): string[][] {
  return [columns, ...rows.map((row) => row.map(({ text }) => text))];
}

/** Fields next to the list, for example the days of a report, without the pagination fields. */
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
  // A field without a value only makes the others harder to find. The JSON has it.
  const rows = leaves.filter(([, text]) => text !== '').map(([at, text]) => [
    { text: at.join('.'), path: [], entry: thing },
    { text, path: at, entry: thing },
  ]);
  const inner = leaves.flatMap(([at]) => {
    const list = at.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), thing);
    return Array.isArray(list) && list.some(isRecord) ? [listTable([...path, ...at], list)] : [];
  });
  return [{ path, columns: ['field', 'value'], rows, isThing: true }, ...inner];
}

/** Returns the object that contains the value of a cell. */
export function parentOf({ entry, path }: Cell): Record<string, unknown> {
  const parent = path.slice(0, -1).reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), entry);
  return isRecord(parent) ? parent : entry;
}

