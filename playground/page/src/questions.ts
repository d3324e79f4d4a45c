/**
 * A saved example question: one file of `questions/`, bundled. It begins with its title and a sentence,
 * each in a comment; a third comment may give the variables to start with:
 *
 *     # What was refused
 *     # Calls that staff were refused, the latest first.
 *     # variables: {"limit": 20}
 */
export interface Question {
  /** The file's name without its ending. */
  name: string;
  title: string;
  sentence: string;
  text: string;
  /** JSON, or empty. */
  variables: string;
}

const files = import.meta.glob<string>('../../questions/*.graphql', { query: '?raw', import: 'default', eager: true });

export const QUESTIONS: Question[] = Object.entries(files)
  .map(([path, text]) => questionOf(path, text))
  .sort((a, b) => a.title.localeCompare(b.title, 'en'));

/** The question behind the button "Find its audit record". */
export const AUDIT_OF_A_REQUEST = QUESTIONS.find((question) => question.name === 'audit_of_a_request');

function questionOf(path: string, text: string): Question {
  const comments = text.split('\n').flatMap((line) => (line.startsWith('#') ? [line.slice(1).trim()] : []));
  const variables = comments.find((comment) => comment.startsWith('variables:'))?.slice('variables:'.length).trim();
  return {
    name: path.replace(/^.*\//, '').replace(/\.graphql$/, ''),
    title: comments[0] ?? path,
    sentence: comments[1] ?? '',
    text: text.replace(/^# variables:.*\n/m, ''),
    variables: variables ? JSON.stringify(JSON.parse(variables), null, 2) : '',
  };
}
