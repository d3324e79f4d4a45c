import access from 'virtual:access';
import { isRecord, textOf } from './answer';
import { recordIn, type RecordId } from './records';
import { thingAt, type Thing } from './things';

/** A value of a response, prepared for display. */
export type Fact =
  | { kind: 'none' }
  | { kind: 'text'; text: string }
  /** An enumerated value, such as `IN_REVIEW`. */
  | { kind: 'word'; text: string }
  | { kind: 'time'; at: string }
  /** An id, shown by the name of the object that it identifies. `record` is set if the object has a page. */
  | { kind: 'thing'; id: string; name: string; record: RecordId | null; thing: Thing | null };

/** A labelled value of an object. `path` contains the keys from the object to the value. */
export interface Field {
  path: string[];
  label: string;
  fact: Fact;
}

/** A list of an object or response, as a table. */
export interface FactTable {
  label: string;
  columns: string[];
  rows: Fact[][];
  hasMore: boolean;
}

/** Labels of names that do not explain themselves. */
const LABELS: Record<string, string> = { active_at: 'Last activity', status_at: 'Status changed' };
const NAMES = ['name', 'company_name', 'title', 'subject', 'label', 'app_name'];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const WORD = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;
/** Values that the page uses, or shows in another form: rendered texts in a frame. */
const HIDDEN = ['allowed_actions', '__typename', 'page', 'body_html', 'migration_html'];
/** Lists that are shown in another form: the page shows images of a submission as images. */
const HIDDEN_LISTS = ['media'];
/** Objects that only group values, so that their name adds nothing to a label. */
const GROUPS = ['counts', 'submitted'];

/**
 * Returns the values of an object and of the objects inside it, without lists of objects. An id and the name next to it are one value.
 */
export function fieldsOf(root: string, entry: Record<string, unknown>, path: string[] = []): Field[] {
  const named = namesIn(entry);
  return Object.entries(entry).flatMap(([key, value]): Field[] => {
    const at = [...path, key];
    // The kind of a named actor adds nothing to the name.
    if (key === 'kind' && path.length > 0 && NAMES.some((name) => textOf(entry[name]))) return [];
    if (HIDDEN.includes(key) || isObjectList(value) || named.get(key) === 'part') return [];
    if (isRecord(value) && !isMoney(value)) return fieldsOf(root, value, at);
    const id = named.get(key);
    // `partner_uuid` and its name are labelled `Partner`.
    if (id) {
      const found = thingOf(root, [...path, id], entry, textOf(entry[id]) ?? '', String(value));
      return [{ path: at, label: labelOf(id === 'uuid' ? at : [...path, id]), fact: found }];
    }
    const fact = factOf(root, at, entry, value);
    // The id of an object that nothing can open is of no use.
    if (key === 'uuid' && fact.kind === 'thing' && !fact.record && !fact.thing) return [];
    return [{ path: at, label: labelOf(at), fact }];
  });
}

/** Returns the lists of objects inside an object, as tables. */
export function tablesIn(root: string, entry: Record<string, unknown>, path: string[] = []): FactTable[] {
  return Object.entries(entry).flatMap(([key, value]) => {
    const at = [...path, key];
    if (HIDDEN_LISTS.includes(key)) return [];
    if (isObjectList(value)) return [tableOf(root, value, { label: labelOf([key]), path: at })];
    return isRecord(value) ? tablesIn(root, value, at) : [];
  });
}

/** Converts a list to a table. A column without any value is left out. */
export function tableOf(root: string, list: Record<string, unknown>[], { label = '', path = [] as string[], hasMore = false }): FactTable {
  const rows = list.map((entry) => new Map(rowOf(root, entry, path).map((field) => [field.label, field.fact])));
  const hasValue = (column: string) => rows.some((row) => (row.get(column)?.kind ?? 'none') !== 'none');
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].filter(hasValue);
  return { label, columns, rows: rows.map((row) => columns.map((column) => row.get(column) ?? { kind: 'none' as const })), hasMore };
}

/** The labels of a row leave out the path to the list. A list inside a row becomes the number of its entries. */
function rowOf(root: string, entry: Record<string, unknown>, path: string[]): Field[] {
  const inner = Object.entries(entry).flatMap(([key, value]): Field[] =>
    isObjectList(value) ? [{ path: [key], label: labelOf([key]), fact: { kind: 'text', text: String(value.length) } }] : [],
  );
  return [...fieldsOf(root, entry, path).map((field) => ({ ...field, label: labelOf(field.path.slice(path.length)) })), ...inner];
}

/**
 * Pairs ids with the names next to them: the key of the name maps to the key of its id, and the key of the id maps to `part`. `uuid`
 * belongs to the name of the object, and `app_uuid` to `app_name`, `app_slug` or `app_title`.
 */
function namesIn(entry: Record<string, unknown>): Map<string, string> {
  const pairs = new Map<string, string>();
  const pair = (id: string, name: string | undefined) => {
    if (!name || pairs.has(name) || !textOf(entry[id]) || !textOf(entry[name])) return;
    pairs.set(name, id);
    pairs.set(id, 'part');
  };
  for (const key of Object.keys(entry)) {
    const noun = /^(\w+)_uuid$/.exec(key)?.[1];
    if (noun)
      pair(
        key,
        [`${noun}_name`, `${noun}_title`, ...(noun === 'partner' ? ['company_name'] : []), `${noun}_slug`].find((name) => name in entry),
      );
  }
  if ('uuid' in entry)
    pair(
      'uuid',
      NAMES.find((name) => name in entry && !pairs.has(name)),
    );
  return pairs;
}

function factOf(root: string, path: string[], holder: Record<string, unknown>, value: unknown): Fact {
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return { kind: 'none' };
  if (typeof value === 'boolean') return { kind: 'text', text: value ? 'yes' : 'no' };
  if (typeof value === 'number') return { kind: 'text', text: new Intl.NumberFormat('en-GB').format(value) };
  if (Array.isArray(value)) return { kind: 'text', text: value.map((one) => (UUID.test(String(one)) ? shortened(String(one)) : String(one))).join(', ') };
  if (isMoney(value)) return { kind: 'text', text: moneyOf(value) };
  const text = String(value);
  const key = path.at(-1) ?? '';
  if (UUID.test(text) || key === 'request_id') return thingOf(root, path, holder, text, shortened(text));
  if (TIME.test(text)) return { kind: 'time', at: text };
  return WORD.test(text) && text.length > 2 ? { kind: 'word', text } : { kind: 'text', text };
}

function thingOf(root: string, path: string[], holder: Record<string, unknown>, id: string, name: string): Fact {
  const spot = { root, path, holder };
  return { kind: 'thing', id, name, record: recordIn(spot, id), thing: thingAt(access, spot, id) };
}

/** Writes a field as a label: `last_used_at` becomes `Last used`, and `reviewer.name` becomes `Reviewer`. */
export function labelOf(path: string[]): string {
  const [last = '', ...above] = [...path].reverse();
  const isName = NAMES.includes(last) && above.length > 0;
  const holders = above.filter((word) => !GROUPS.includes(word));
  const words = (isName ? above : [last, ...holders]).slice(0, 2).reverse();
  const known = LABELS[words.join(' ')];
  if (known) return known;
  const text = words
    .join(' ')
    .replace(/_(at|uuid|count)\b/g, '')
    .replace(/\bis_/, '')
    .replaceAll('_', ' ')
    .replace(/\bemail\b/, 'e-mail')
    .replace(/^uuid$/, 'id');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isObjectList(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.some(isRecord);
}

function isMoney(value: unknown): value is { amount_minor: number; currency: string } {
  return isRecord(value) && typeof value.amount_minor === 'number' && typeof value.currency === 'string';
}

function moneyOf({ amount_minor, currency }: { amount_minor: number; currency: string }): string {
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount_minor / 10 ** digits);
}

/** Shortens an id to its end, because ids of the same time have the same beginning. */
function shortened(id: string): string {
  return id.length > 16 ? `…${id.slice(-12)}` : id;
}
