import access from 'virtual:access';
import { isRecord, textOf } from './answer';
import { mayRun } from './access';
import { headerOf, nameOf, withoutProperties } from './declared';
import { operationOf, type Operation } from './operation';
import { QUESTIONS, type Question } from './questions';
import { recordOfThing, RECORDS, type RecordId } from './records';
import { rowOf } from './waiting';

/**
 * A search: one file in `searches/`, with the name of the kind of record that it finds. The query takes the text as `$q`. Values
 * have the same names as in `waiting/`. `# covers: …` lists the kinds that the search also finds, so that their own search is not
 * needed.
 */
export interface Search {
  name: string;
  title: string;
  text: string;
  operation: Operation;
  covers: string[];
}

/** A result: the page of a record, or a saved query. */
export interface Hit {
  title: string;
  detail: string;
  about: string;
  target: { record: RecordId } | { question: Question };
}

/** The service accepts no shorter text. */
export const SHORTEST = 2;
const MOST_TASKS = 5;

/** Kinds of the overview's search, by the names of the files in `records/`. */
const KINDS: Record<string, string> = { PARTNER: 'partner', USER: 'user', APP: 'app', PROGRAM: 'machine_client', TICKET: 'ticket' };

const files = import.meta.glob<string>('../../searches/*.graphql', { query: '?raw', import: 'default', eager: true });

export const SEARCHES: Search[] = Object.entries(files).map(([path, text]) => {
  const header = headerOf(text);
  const operation = operationOf(text) ?? { kind: 'query' as const, name: undefined, roots: [], variables: [] };
  return { name: nameOf(path), title: header.title, text: withoutProperties(text), operation, covers: header.valuesOf('covers') };
});

/** Returns the searches that the user may run, without searches that another search covers. */
export function searchesFor(scopes: string[]): Search[] {
  const open = SEARCHES.filter(({ operation }) => mayRun(access, scopes, operation));
  const covered = open.flatMap(({ covers }) => covers);
  return open.filter(({ name }) => !covered.includes(name));
}

/** Returns the records of a response. */
export function hitsOf(body: unknown): Hit[] {
  const data = isRecord(body) && isRecord(body.data) ? Object.values(body.data).find(isRecord) : undefined;
  const list = Array.isArray(data?.data) ? data.data.filter(isRecord) : [];
  return list.flatMap((entry) => {
    const { kind, uuid, ...others } = entry;
    const named = RECORDS.find(({ name }) => name === KINDS[String(kind)]);
    const row = rowOf(named ? { ...others, [named.variable]: uuid } : entry);
    const record = named ? recordOfThing({ variable: named.variable, id: textOf(uuid) ?? '' }) : row.record;
    return record ? [{ title: row.title, detail: row.detail, about: record.kind.title, target: { record } }] : [];
  });
}

/** Returns the saved queries that the user can run and whose texts contain all words. */
export function taskHits(scopes: string[], search: string): Hit[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ title, sentence, work }: Question) => words.every((word) => `${title} ${sentence} ${work}`.toLowerCase().includes(word));
  return QUESTIONS.filter((question) => fits(question) && mayRun(access, scopes, question.operation))
    .slice(0, MOST_TASKS)
    .map((question) => ({ title: question.title, detail: question.sentence, about: question.work, target: { question } }));
}
