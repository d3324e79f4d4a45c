import { operationOf, type Operation } from './operation';

/**
 * A saved question: one file of `questions/`, bundled. It begins with its title and a sentence, each in a comment; further
 * comments say for which work it is, and may give the variables to start with:
 *
 *     # What was refused
 *     # Calls that staff were refused, the latest first.
 *     # for: Audit
 *     # variables: {"limit": 20}
 */
export interface Question {
  /** The file's name without its ending. */
  name: string;
  title: string;
  sentence: string;
  /** The work it belongs to: a heading of the panel. */
  work: string;
  text: string;
  /** JSON, or empty. */
  variables: string;
  operation: Operation;
}

/** The headings of the panel, in their order. */
export const WORKS = ['Review', 'Partners and people', 'Support', 'Operations', 'Audit', 'Catalogue'];

const files = import.meta.glob<string>('../../questions/*.graphql', { query: '?raw', import: 'default', eager: true });

export const QUESTIONS: Question[] = Object.entries(files)
  .map(([path, text]) => questionOf(path, text))
  .sort((a, b) => WORKS.indexOf(a.work) - WORKS.indexOf(b.work) || kindOf(a) - kindOf(b) || a.title.localeCompare(b.title, 'en'));

/** The question behind the button "Find its audit record". */
export const AUDIT_OF_A_REQUEST = QUESTIONS.find((question) => question.name === 'audit_of_a_request');

/** The saved questions that are about one thing and need nothing but its id, or can be begun with it. */
export function questionsAbout(variable: string): Question[] {
  return QUESTIONS.filter(({ operation }) => operation.variables.some(({ name }) => name === variable));
}

function questionOf(path: string, text: string): Question {
  const comments = text.split('\n').flatMap((line) => (line.startsWith('#') ? [line.slice(1).trim()] : []));
  const said = (word: string) => comments.find((comment) => comment.startsWith(`${word}:`))?.slice(word.length + 1).trim();
  const variables = said('variables');
  return {
    name: path.replace(/^.*\//, '').replace(/\.graphql$/, ''),
    title: comments[0] ?? path,
    sentence: comments[1] ?? '',
    work: said('for') ?? '',
    text: text.replace(/^# (variables|for):.*\n/gm, ''),
    variables: variables ? JSON.stringify(JSON.parse(variables), null, 2) : '',
    operation: operationOf(text) ?? { kind: 'query', name: undefined, roots: [], variables: [] },
  };
}

/** What runs as it is comes first, then what asks for a value, then what changes something. */
function kindOf({ operation, variables }: Question): number {
  if (operation.kind === 'mutation') return 2;
  return operation.variables.some(({ isRequired }) => isRequired) || variables.includes('""') ? 1 : 0;
}
