import { isRecord, numberOf, textOf, type Answer, type Problem } from './answer';
import { syntaxErrorOf, type Place } from './operation';

/** An error of a query, from a problem document or from the `errors` of GraphQL. */
export interface Complaint {
  title: string;
  /** Explanations, most important first. */
  sentences: string[];
  code?: string;
  /** Status of the problem document, which can differ from the HTTP status of the GraphQL response. */
  status?: number;
  requiredScope?: string;
  allowedActions?: string[];
  retryAfter?: number;
  /** Position of the error in the text of the query, if known. */
  place?: Pick<Place, 'line' | 'column'>;
  /** The rules that single values break. */
  faults: Fault[];
}

/** A value that breaks a rule, and the place of the value. */
export interface Fault {
  message: string;
  code: string;
  /** JSON pointer into the body of the REST request, or into `/variables` of the query. */
  pointer?: string;
  /** Parameter of the REST request. */
  parameter?: string;
  /** Name of the root field in the response, if the service states it. */
  alias?: string;
}

/** Reads a problem document or the `errors` of GraphQL. Returns null for a successful response. */
export function complaintOf(answer: Answer, query = ''): Complaint | null {
  if (answer.problem) return complaintOfProblem(answer.problem, query);
  const errors = isRecord(answer.body) && Array.isArray(answer.body.errors) ? answer.body.errors.filter(isRecord) : [];
  const [first] = errors;
  if (!first) return null;
  const all = errors.map(({ extensions }) => (isRecord(extensions) ? extensions : {}));
  const said = (name: string) => all.map((extensions) => extensions[name]).find((value) => value !== undefined && value !== null);
  const status = numberOf(said('status')) ?? undefined;
  const syntax = query === '' ? null : syntaxErrorOf(query);
  if (syntax) return { ...complaintOfSyntax(syntax, textOf(said('code'))), status };
  const path = Array.isArray(first.path) ? first.path.join('.') : undefined;
  const actions = said('allowed_actions');
  return {
    title: textOf(said('title')) ?? (path ? `${path} failed` : 'The query cannot run'),
    sentences: [...new Set(errors.flatMap(sentencesOf))],
    code: textOf(said('code')),
    status,
    requiredScope: textOf(said('required_scope')),
    allowedActions: Array.isArray(actions) ? actions.map(String) : undefined,
    retryAfter: numberOf(said('retry_after')) ?? undefined,
    place: placeOf(first),
    faults: errors.flatMap(faultsOf).filter(isOfValue),
  };
}

/** An error of the query as a whole is a sentence, because it belongs to no field. */
function isOfValue({ pointer }: Fault): boolean {
  return pointer !== '/query';
}

/** If an error lists rules, its own text only states that there are some. */
function sentencesOf(error: Record<string, unknown>): string[] {
  const listed = faultsOf(error);
  return listed.length > 0 ? listed.filter((fault) => !isOfValue(fault)).map(({ message }) => message) : [sentenceOf(error)];
}

/** Reads the rules that an error of GraphQL lists. They are the `errors` of the problem document. */
function faultsOf({ extensions, path }: Record<string, unknown>): Fault[] {
  const listed = isRecord(extensions) && Array.isArray(extensions.errors) ? extensions.errors.filter(isRecord) : [];
  const alias = Array.isArray(path) ? textOf(path[0]) : undefined;
  return listed.map((one) => faultOf(one, alias));
}

function faultOf({ message, code, pointer, parameter }: Record<string, unknown>, alias?: string): Fault {
  return { message: textOf(message) ?? 'This value is not allowed.', code: textOf(code) ?? '', pointer: textOf(pointer), parameter: textOf(parameter), alias };
}

function complaintOfProblem(problem: Problem, query: string): Complaint {
  const syntax = problem.code === 'VALIDATION_FAILED' ? syntaxErrorOf(query) : null;
  // A syntax error is shown by its position, without the code drawing that the service sends.
  if (syntax) return complaintOfSyntax(syntax, problem.code);
  const listed = (problem.errors ?? []).map((one) => faultOf({ ...one }));
  return {
    title: problem.title,
    // If a problem document has `errors`, its detail only states that there are some.
    sentences: listed.length > 0 ? listed.filter((one) => !isOfValue(one)).map(({ message }) => message) : problem.detail ? [problem.detail] : [],
    code: problem.code,
    requiredScope: problem.required_scope,
    allowedActions: problem.allowed_actions,
    retryAfter: problem.retry_after,
    faults: listed.filter(isOfValue),
  };
}

function complaintOfSyntax(place: Place, code?: string): Complaint {
  return { title: 'Syntax error', sentences: [place.message], code, place, faults: [] };
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
