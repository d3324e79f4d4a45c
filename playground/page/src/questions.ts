import type { FieldOptions } from './form/shape';
import { operationOf, type Operation } from './operation';

/**
 * A saved query: one file in `questions/`. It begins with two comments, a title and a sentence. Further comments name the heading
 * in the panel, initial values of the variables, and options of fields:
 *
 *     # Rejected calls
 *     # Calls of staff members that the service rejected, latest first.
 *     # for: Audit
 *     # variables: {"limit": 20}
 *     # field: text_uuid {"fill": true}
 *     # starts from: publication_item
 *     # short: Edit
 */
export interface Question {
  /** Name of the file without extension. */
  name: string;
  title: string;
  sentence: string;
  /** Title next to an entry that the task concerns. */
  short?: string;
  /** Heading of the panel. */
  work: string;
  text: string;
  /** JSON, or empty. */
  variables: string;
  operation: Operation;
  /** Options of fields, by the name of the variable or of the field inside it. */
  fields: Record<string, FieldOptions>;
  /** Name of the saved query whose response has the current values of the variables. */
  startsFrom?: string;
}

/** Headings of the panel, in order. */
export const WORKS = [
  'Review',
  'Customer reviews',
  'Board',
  'Publication',
  'Support',
  'Partners',
  'Users',
  'Subscriptions and limits',
  'Operations',
  'Audit',
  'Catalogue',
];

const files = import.meta.glob<string>('../../questions/*.graphql', { query: '?raw', import: 'default', eager: true });

export const QUESTIONS: Question[] = Object.entries(files)
  .map(([path, text]) => questionOf(path, text))
  .sort((a, b) => WORKS.indexOf(a.work) - WORKS.indexOf(b.work) || kindOf(a) - kindOf(b) || a.title.localeCompare(b.title, 'en'));

/** The query of the button "Find its audit record". */
export const AUDIT_OF_A_REQUEST = QUESTIONS.find((question) => question.name === 'audit_of_a_request');

/** Returns the saved queries that have this variable. */
export function questionsAbout(variable: string): Question[] {
  return QUESTIONS.filter(({ operation }) => operation.variables.some(({ name }) => name === variable));
}

/** Returns whether a text is the unchanged text of a saved query. */
export function isSavedText(text: string): boolean {
  return QUESTIONS.some((question) => question.text.trim() === text.trim());
}

function questionOf(path: string, text: string): Question {
  const comments = text.split('\n').flatMap((line) => (line.startsWith('#') ? [line.slice(1).trim()] : []));
  const said = (word: string) => comments.find((comment) => comment.startsWith(`${word}:`))?.slice(word.length + 1).trim();
  const variables = said('variables');
  return {
    name: path.replace(/^.*\//, '').replace(/\.graphql$/, ''),
    title: comments[0] ?? path,
    sentence: comments[1] ?? '',
    short: said('short'),
    work: said('for') ?? '',
    text: text.replace(/^# (variables|for|field|short|starts from):.*\n/gm, ''),
    variables: variables ? JSON.stringify(JSON.parse(variables), null, 2) : '',
    operation: operationOf(text) ?? { kind: 'query', name: undefined, roots: [], variables: [] },
    fields: Object.fromEntries(comments.flatMap(fieldOf)),
    startsFrom: said('starts from'),
  };
}

/** `field: <name> <JSON>` */
function fieldOf(comment: string): [string, FieldOptions][] {
  const [, name, options] = /^field: (\w+) (\{.*\})$/.exec(comment) ?? [];
  return name && options ? [[name, JSON.parse(options)]] : [];
}

/** Sort key: queries that run without input, queries that need a value, mutations. */
function kindOf({ operation, variables }: Question): number {
  if (operation.kind === 'mutation') return 2;
  return operation.variables.some(({ isRequired }) => isRequired) || variables.includes('""') ? 1 : 0;
}
