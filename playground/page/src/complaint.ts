import { isRecord, textOf, type Answer, type Problem } from './answer';
import { syntaxErrorOf, type Place } from './operation';

/** An error of a query, from a problem document or from the `errors` of GraphQL. */
export interface Complaint {
  title: string;
  /** Explanations, most important first. */
  sentences: string[];
  code?: string;
  requiredScope?: string;
  allowedActions?: string[];
  retryAfter?: number;
  /** Position of the error in the text of the query, if known. */
  place?: Pick<Place, 'line' | 'column'>;
}

/** Reads a problem document or the `errors` of GraphQL. Returns null for a successful response. */
export function complaintOf(answer: Answer, query = ''): Complaint | null {
  if (answer.problem) return complaintOfProblem(answer.problem, query);
  const errors = isRecord(answer.body) && Array.isArray(answer.body.errors) ? answer.body.errors.filter(isRecord) : [];
  const [first] = errors;
  if (!first) return null;
  const extensions = isRecord(first.extensions) ? first.extensions : {};
  const path = Array.isArray(first.path) ? first.path.join('.') : undefined;
  return {
    title: textOf(extensions.title) ?? (path ? `${path} failed` : 'The query cannot run'),
    sentences: [...new Set(errors.map(sentenceOf))],
    code: textOf(extensions.code),
    requiredScope: textOf(extensions.required_scope),
    allowedActions: Array.isArray(extensions.allowed_actions) ? extensions.allowed_actions.map(String) : undefined,
    place: placeOf(first),
  };
}

function complaintOfProblem(problem: Problem, query: string): Complaint {
  const syntax = problem.code === 'VALIDATION_FAILED' ? syntaxErrorOf(query) : null;
  // A syntax error is shown by its position, without the code drawing that the service sends.
  if (syntax) return { title: 'Syntax error', sentences: [syntax.message], code: problem.code, place: syntax };
  const errors = problem.errors?.map(({ message, parameter }) => (parameter ? `${parameter}: ${message}` : message)) ?? [];
  return {
    title: problem.title,
    // If a problem document has `errors`, its detail only states that there are some.
    sentences: errors.length > 0 ? errors : problem.detail ? [problem.detail] : [],
    code: problem.code,
    requiredScope: problem.required_scope,
    allowedActions: problem.allowed_actions,
    retryAfter: problem.retry_after,
  };
}

function sentenceOf(error: Record<string, unknown>): string {
  const extensions = isRecord(error.extensions) ? error.extensions : {};
  return textOf(extensions.detail) ?? textOf(error.message) ?? 'The service gave no reason.';
}

function placeOf({ locations }: Record<string, unknown>): Complaint['place'] {
  const [first] = Array.isArray(locations) ? locations.filter(isRecord) : [];
  const { line, column } = first ?? {};
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined;
}

/** The problem document with the most important members first, for the response pane. */
export function printed({ status, code, title, detail, required_scope, ...rest }: Problem): Record<string, unknown> {
  return { status, code, title, detail, required_scope, ...rest };
}
