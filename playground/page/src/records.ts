import access from 'virtual:access';
import { mayRun } from './access';
import { actionsOf, headerOf, nameOf, withoutProperties } from './declared';
import { documentOf, isOperation, operationOf, type Operation } from './operation';
import { thingAt, type Spot, type Thing } from './things';

/**
 * A kind of record with a page: one file in `records/`. Its first comment is the name of the kind, the second a sentence.
 * Each operation of the file is one section of the page, and the comment above the operation is its title. The first section is
 * the summary. All operations take the id of the record as their only variable.
 *
 * - `# address: partners` is the first part of the page's address, `#/partners/<id>`.
 * - `# name: company_name` lists the fields of the summary that form the name of a record.
 * - `# fields: …` lists further fields of responses with the id of a record.
 * - `# lists: …` lists root fields that list such records, if their name does not show it.
 * - `# within: engagement_` limits the tasks about the record to those root fields, if other records use the same argument.
 * - `# reads: …` above an operation lists the root fields whose scopes its edges need.
 * - `# actions: …` above an operation maps the object's `allowed_actions` to mutations (`actionsOf`).
 * - `# tasks: …` above an operation names saved queries that its section offers.
 * - `# row: …` above an operation names saved queries that every row of its list offers. With `=<action>`, the row must allow it.
 */
export interface RecordKind {
  name: string;
  title: string;
  address: string;
  /** Variable with the id, which is also the argument of root fields about the record. */
  variable: string;
  label: string[];
  fields: string[];
  lists: string[];
  within: string;
  sections: Section[];
}

/** A part of a record's page, with a separate query. */
export interface Section {
  name: string;
  title: string;
  text: string;
  operation: Operation;
  /** Root fields of the query and of its edges. The user needs their scopes. */
  needs: Pick<Operation, 'kind' | 'roots'>;
  /** Root fields by the name under which the response contains them. */
  roots: Record<string, string>;
  actions: Map<string, string>;
  tasks: string[];
  rowTasks: RowTask[];
}

/** A saved query for the rows of a list. */
export interface RowTask {
  name: string;
  /** Action that the row must allow. */
  action: string | undefined;
}

/** A record that a page can show. */
export interface RecordId {
  kind: RecordKind;
  id: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const files = import.meta.glob<string>('../../records/*.graphql', { query: '?raw', import: 'default', eager: true });

export const RECORDS: RecordKind[] = Object.entries(files).map(([path, text]) => kindOf(nameOf(path), text));

function kindOf(name: string, text: string): RecordKind {
  const [top = '', ...parts] = text.split('\n\n# ');
  const header = headerOf(top);
  const sections = parts.map((part) => sectionOf(`# ${part}`));
  return {
    name,
    title: header.title,
    address: header.valuesOf('address')[0] ?? name,
    variable: sections[0]?.operation.variables[0]?.name ?? '',
    label: header.valuesOf('name'),
    fields: header.valuesOf('fields'),
    lists: header.valuesOf('lists'),
    within: header.valuesOf('within')[0] ?? '',
    sections,
  };
}

function sectionOf(text: string): Section {
  const header = headerOf(text);
  const operation = operationOf(text) ?? { kind: 'query', name: undefined, roots: [], variables: [] };
  return {
    name: operation.name ?? '',
    title: header.title,
    text: withoutProperties(text),
    operation,
    needs: { kind: 'query', roots: [...operation.roots, ...header.valuesOf('reads')] },
    roots: rootsOf(text),
    actions: actionsOf(header, operation.roots[0] ?? ''),
    tasks: header.valuesOf('tasks'),
    rowTasks: header.valuesOf('row').map(rowTaskOf),
  };
}

function rowTaskOf(value: string): RowTask {
  const [name = '', action] = value.split('=');
  return { name, action };
}

/** Returns the root fields of a query by their names in the response. */
export function rootsOf(text: string): Record<string, string> {
  const [operation] = documentOf(text)?.definitions.filter(isOperation) ?? [];
  const fields = operation?.selectionSet.selections.filter((one) => one.kind === 'Field') ?? [];
  return Object.fromEntries(fields.map(({ alias, name }) => [alias?.value ?? name.value, name.value]));
}

/** Returns the record with an address `#/<kind>/<id>`, or null. */
export function recordAt(address: string, id: string): RecordId | null {
  const kind = RECORDS.find((one) => one.address === address);
  return kind && UUID.test(id) ? { kind, id } : null;
}

/** Returns the record that a value of a response identifies, or null. */
export function recordIn(spot: Spot, value: unknown): RecordId | null {
  const key = spot.path.at(-1) ?? '';
  const isOf = ({ fields, lists }: RecordKind) => fields.includes(key) || (key === 'uuid' && isListed(spot, { fields, lists }));
  const kind = RECORDS.find(isOf);
  if (kind) return typeof value === 'string' && UUID.test(value) ? { kind, id: value } : null;
  const thing = thingAt(access, spot, value);
  return thing && recordOfThing(thing);
}

function isListed({ root, path }: Spot, { fields, lists }: Pick<RecordKind, 'fields' | 'lists'>): boolean {
  const holder = path.at(-2);
  return holder ? fields.includes(holder) : lists.includes(root);
}

export function recordOfThing({ variable, id }: Thing): RecordId | null {
  const kind = RECORDS.find((one) => one.variable === variable || one.fields.includes(variable));
  return kind && UUID.test(id) ? { kind, id } : null;
}

/** Returns whether the user may read the summary of such records. */
export function mayOpen(scopes: string[], kind: RecordKind): boolean {
  const [summary] = kind.sections;
  return summary !== undefined && mayRun(access, scopes, summary.operation);
}
