import access from 'virtual:access';
import { isRecord, numberOf, textOf } from './answer';
import { mayRun } from './access';
import { actionsOf, headerOf, nameOf, withoutProperties } from './declared';
import { leavesOf } from './leaves';
import { operationOf, type Operation } from './operation';
import { QUESTIONS, type Question } from './questions';
import { RECORDS, recordOfThing, type RecordId } from './records';
import { knownIn, type Known } from './steps';

/**
 * A list of work that waits: one file in `waiting/`. The query names the values that the page shows: `title`, `since` (start of the
 * wait) and `due`. Other values are details. An alias such as `submission_uuid` contains an id for tasks.
 *
 * - `# kind: SUBMISSION_WAITING` is the kind of `admin_overview_get_attention` that counts the list.
 * - `# task: submissions_waiting` names the saved query that shows the whole list. By default, that is the file's own query.
 * - `# for: marketplace_submissions_claim` is the mutation that handles the entries. The start page shows the list to users who may run
 *   it, even without the overview.
 * - `# only: failures` shows only rows in which this value is neither empty nor 0.
 * - `# rows: none` shows no rows, because the API cannot filter the list to the waiting entries.
 * - `# actions: …` maps the `allowed_actions` of a row to mutations (`actionsOf`).
 * - `# tasks: …` names saved queries that every row offers in addition.
 * - `# first: yes` puts the list before the others.
 */
export interface Waiting {
  name: string;
  title: string;
  text: string;
  operation: Operation;
  kind: string | undefined;
  task: Question | undefined;
  handledBy: string | undefined;
  only: string | undefined;
  hasRows: boolean;
  actions: Map<string, string>;
  tasks: string[];
}

/** An entry of a waiting list. */
export interface Row {
  title: string;
  detail: string;
  since: string | undefined;
  due: string | undefined;
  known: Known;
  record: RecordId | null;
  allowed: string[];
}

/** Maximum number of rows of a list. */
const MOST_ROWS = 5;

const files = import.meta.glob<string>('../../waiting/*.graphql', { query: '?raw', import: 'default', eager: true });

const isFirst = (text: string) => headerOf(text).valuesOf('first').includes('yes');

export const WAITING: Waiting[] = Object.entries(files)
  .sort(([, a], [, b]) => Number(isFirst(b)) - Number(isFirst(a)))
  .map(([path, text]) => waitingOf(nameOf(path), text));

function waitingOf(name: string, text: string): Waiting {
  const header = headerOf(text);
  const operation = operationOf(text) ?? { kind: 'query' as const, name: undefined, roots: [], variables: [] };
  const [task] = header.valuesOf('task');
  return {
    name,
    title: header.title,
    text: withoutProperties(text),
    operation,
    kind: header.valuesOf('kind')[0],
    task: QUESTIONS.find((question) => question.name === task),
    handledBy: header.valuesOf('for')[0],
    only: header.valuesOf('only')[0],
    hasRows: !header.valuesOf('rows').includes('none'),
    actions: actionsOf(header, operation.roots[0] ?? ''),
    tasks: header.valuesOf('tasks'),
  };
}

/** Returns the lists that the user may read and handle. */
export function listsFor(scopes: string[]): Waiting[] {
  const mayHandle = (mutation: string) => mayRun(access, scopes, { kind: 'mutation', roots: [mutation] });
  return WAITING.filter(({ handledBy, operation }) => handledBy && mayHandle(handledBy) && mayRun(access, scopes, operation));
}

/** Returns the rows of a response, and the number of all entries if the response has it. */
export function rowsOf({ only }: Waiting, body: unknown): { rows: Row[]; total: number | null } {
  const data = isRecord(body) && isRecord(body.data) ? Object.values(body.data).find(isRecord) : undefined;
  const list = Array.isArray(data?.data) ? data.data.filter(isRecord) : [];
  const entries = only ? list.filter((entry) => Boolean(entry[only])) : list;
  const page = isRecord(data?.page) ? data.page : {};
  return { rows: entries.slice(0, MOST_ROWS).map(rowOf), total: only ? entries.length : numberOf(page.total) };
}

/** Converts an entry to a row. It also serves search results, whose values have the same names. */
export function rowOf(entry: Record<string, unknown>): Row {
  const { title, since, due, allowed_actions, ...others } = entry;
  const known = knownIn(entry);
  const isShown = ([path, text]: [string[], string]) => text !== '' && !/_(uuid|code)$/.test(path.at(-1) ?? '') && text !== title;
  const details = leavesOf(others).filter(isShown);
  return {
    title: textOf(title) ?? details[0]?.[1] ?? 'Untitled',
    detail: details.map(detailOf).join(' · '),
    since: textOf(since),
    due: textOf(due),
    known,
    record: recordOf(known),
    allowed: Array.isArray(allowed_actions) ? allowed_actions.map(String) : [],
  };
}

/** A number needs its name, and the name of a person needs their part: `reviewer Elodie Marchand`. */
function detailOf([path, text]: [string[], string]): string {
  const [last = '', holder] = [...path].reverse();
  const word = /^\d+$/.test(text) ? last : last === 'name' ? holder : undefined;
  return word ? `${word.replaceAll('_', ' ')} ${text}` : text;
}

function recordOf(known: Known): RecordId | null {
  const variable = Object.keys(known).find((name) => RECORDS.some((kind) => kind.variable === name || kind.fields.includes(name)));
  return variable ? recordOfThing({ variable, id: known[variable] ?? '' }) : null;
}
