import { isRecord, textOf, type Answer, type Problem } from './answer';

/** What went wrong with a question, whichever of the two shapes it came in. */
export interface Complaint {
  title: string;
  detail?: string;
  code?: string;
  requiredScope?: string;
  allowedActions?: string[];
  retryAfter?: number;
  /** Further errors of the same answer. */
  more: number;
}

/** Reads a problem document, or the first entry of GraphQL's `errors`. Null when all went well. */
export function complaintOf(answer: Answer): Complaint | null {
  if (answer.problem) return complaintOfProblem(answer.problem);
  const errors = isRecord(answer.body) && Array.isArray(answer.body.errors) ? answer.body.errors.filter(isRecord) : [];
  const [first] = errors;
  if (!first) return null;
  const extensions = isRecord(first.extensions) ? first.extensions : {};
  const path = Array.isArray(first.path) ? first.path.join('.') : undefined;
  return {
    title: textOf(extensions.title) ?? (path ? `${path} was refused` : 'The question cannot be run'),
    detail: textOf(extensions.detail) ?? textOf(first.message),
    code: textOf(extensions.code),
    requiredScope: textOf(extensions.required_scope),
    allowedActions: Array.isArray(extensions.allowed_actions) ? extensions.allowed_actions.map(String) : undefined,
    more: errors.length - 1,
  };
}

function complaintOfProblem(problem: Problem): Complaint {
  return {
    title: problem.title,
    detail: problem.detail,
    code: problem.code,
    requiredScope: problem.required_scope,
    allowedActions: problem.allowed_actions,
    retryAfter: problem.retry_after,
    more: 0,
  };
}

/** The problem document as the response pane prints it: what matters first. */
export function printed({ status, code, title, detail, required_scope, ...rest }: Problem): Record<string, unknown> {
  return { status, code, title, detail, required_scope, ...rest };
}
