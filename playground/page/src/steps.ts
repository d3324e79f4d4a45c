import access from 'virtual:access';
import { mayRun, type Change } from './access';
import type { Order } from './handover';
import { documentOf, isOperation } from './operation';
import { QUESTIONS, type Question } from './questions';
import type { RecordKind, RowTask } from './records';

/** Values that a page knows, by the names of arguments: the id of the record, and ids, codes and slugs next to it. */
export type Known = Record<string, string>;

/** Something that the user can do next with a record. */
export interface Step {
  title: string;
  /** The action in one or two words, for a row of a list. */
  short: string;
  sentence: string;
  order: Order;
}

/** An argument of a root field that takes the value of a variable. */
interface Use {
  root: string;
  argument: string;
  variable: string;
}

/** The arguments that each saved query fills from its variables. */
const USES: Map<Question, Use[]> = new Map(QUESTIONS.map((question) => [question, usesOf(question.text)]));

export function usesOf(text: string): Use[] {
  const operations = documentOf(text)?.definitions.filter(isOperation) ?? [];
  const fields = operations.flatMap(({ selectionSet }) => selectionSet.selections.filter((one) => one.kind === 'Field'));
  return fields.flatMap(({ name, arguments: given }) =>
    (given ?? []).flatMap(({ name: argument, value }) =>
      value.kind === 'Variable' ? [{ root: name.value, argument: argument.value, variable: value.name.value }] : [],
    ),
  );
}

/** Returns the values for the variables of a saved query: by the argument that takes the variable, or else by the same name. */
export function knownFor(question: Question, known: Known): Known {
  const uses = USES.get(question) ?? [];
  return Object.fromEntries(
    question.operation.variables.flatMap(({ name }) => {
      const value = known[uses.find(({ variable }) => variable === name)?.argument ?? name] ?? known[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Returns the ids, codes and slugs of an object and of the objects inside it. The outer object has priority. */
export function knownIn(value: unknown): Known {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const entries = Object.entries(value);
  const own = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && /_(uuid|code|slug)$/.test(entry[0]));
  return Object.assign({}, ...entries.map(([, part]) => knownIn(part)), Object.fromEntries(own)) as Known;
}

/**
 * Returns the steps for the allowed actions that the user may perform, in the order of `actions`, each with its saved query or with a
 * generated mutation.
 */
export function stepsFor(scopes: string[], actions: Map<string, string>, allowed: string[], known: Known): Step[] {
  return [...actions].flatMap(([action, mutation]) => {
    if (!allowed.includes(action) || !mayRun(access, scopes, { kind: 'mutation', roots: [mutation] })) return [];
    const question = taskFor(actions, action);
    const change = access.changes[mutation];
    if (question) return [{ ...stepOf(question, known), short: titleOf(action) }];
    if (!change) return [];
    const [title, text] = [titleOf(action), written(mutation, change, known)];
    return [{ title, short: title, sentence: `Runs ${mutation}.`, order: { text, run: false } }];
  });
}

/** Returns the steps for the saved queries with these names that the user may run. */
export function tasksFor(scopes: string[], names: string[], known: Known): Step[] {
  const tasks = names.flatMap((name) => QUESTIONS.find((question) => question.name === name) ?? []);
  return tasks.filter(({ operation }) => mayRun(access, scopes, operation)).map((question) => stepOf(question, known));
}

/** Returns the steps for a row of a list. Their values are those of the page and the ids of the row. */
export function rowSteps(scopes: string[], tasks: RowTask[], row: Record<string, unknown>, known: Known): Step[] {
  const allowed = Array.isArray(row.allowed_actions) ? row.allowed_actions : [];
  const names = tasks.filter(({ action }) => action === undefined || allowed.includes(action)).map(({ name }) => name);
  return tasksFor(scopes, names, { ...known, ...knownIn(row) });
}

/** Returns the ids that tasks take. The page does not show the ids of a row that only its tasks use. */
export function idsOf(tasks: RowTask[]): string[] {
  const variables = tasks.flatMap(({ name }) => QUESTIONS.find((question) => question.name === name)?.operation.variables ?? []);
  return variables.map(({ name }) => name).filter((name) => name.endsWith('_uuid'));
}

/**
 * Returns the further saved queries about a record. A task for an action that the record does not allow now is not one of them, nor
 * is a task that a section offers, or the query that the page shows anyway.
 */
export function furtherSteps(scopes: string[], kind: RecordKind, known: Known): Step[] {
  const performed = kind.sections.flatMap(({ actions }) => [...actions.keys()].map((action) => taskFor(actions, action)));
  const open = kind.sections.filter(({ needs }) => mayRun(access, scopes, needs));
  const offered = open.flatMap(({ tasks, rowTasks }) => [...tasks, ...rowTasks.map(({ name }) => name)]);
  const shown = kind.sections.flatMap(({ operation }) => operation.roots);
  const isAbout = (question: Question) =>
    (USES.get(question) ?? []).some(({ root, argument }) => argument === kind.variable && root.startsWith(kind.within)) &&
    !performed.includes(question) &&
    !offered.includes(question.name) &&
    !question.operation.roots.every((root) => shown.includes(root)) &&
    mayRun(access, scopes, question.operation);
  return QUESTIONS.filter(isAbout).map((question) => stepOf(question, known));
}

function stepOf(question: Question, known: Known): Step {
  const { title, short, sentence } = question;
  return { title, short: short ?? title, sentence, order: { question, known: knownFor(question, known) } };
}

/**
 * Returns the saved query that performs an action: one with its mutation, preferably with the action in its name. If several actions
 * share the mutation, the name must contain the action.
 */
export function taskFor(actions: Map<string, string>, action: string): Question | undefined {
  const mutation = actions.get(action);
  const found = QUESTIONS.filter(({ operation }) => mutation !== undefined && operation.roots.includes(mutation));
  const isShared = [...actions.values()].filter((one) => one === mutation).length > 1;
  return found.find(({ name }) => name.includes(action.replaceAll('-', '_'))) ?? (isShared ? undefined : found[0]);
}

/** Writes a mutation for the editor. */
export function written(mutation: string, { takes, starts, gives }: Change, known: Known): { query: string; variables: string } {
  const names = Object.keys(takes);
  const declared = names.map((name) => `$${name}: ${takes[name]}`).join(', ');
  const given = names.map((name) => `${name}: $${name}`).join(', ');
  const selection = gives.length > 0 ? ` {\n    ${gives.join('\n    ')}\n  }` : '';
  const filled = names.filter((name) => name in starts || known[name] !== undefined);
  const values = Object.fromEntries(filled.map((name) => [name, known[name] ?? starts[name]]));
  return { query: `mutation ${mutation}(${declared}) {\n  ${mutation}(${given})${selection}\n}\n`, variables: JSON.stringify(values, null, 2) };
}

/** `request-changes` becomes `Request changes`. */
function titleOf(action: string): string {
  const words = action.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
