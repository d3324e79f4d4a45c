import type { Operation, Root } from './operation';
import { reaches } from './scopes';

/** Access requirements of root fields, which `../plugins.mjs` reads from the schema. */
export interface Access {
  query: Record<string, string>;
  mutation: Record<string, string>;
  files: string[];
  readers: { field: string; variable: string }[];
  guarded: string[];
  changes: Record<string, Change>;
}

/** The shape of a mutation: its arguments with their types, initial values of input objects, and fields of the result to select. */
export interface Change {
  takes: Record<string, string>;
  starts: Record<string, unknown>;
  gives: string[];
}

/** The reasons why a user cannot run an operation here. Both lists are empty if the user can run it. */
export interface Standing {
  /** Required scopes that the user does not have. */
  missing: string[];
  /** Root fields that this page cannot run with any scope, each with the reason. */
  closed: string[];
}

/** Predicts from the root fields whether the user can run an operation. Only the service enforces access. */
export function standingOf(access: Access, held: string[], { kind, roots }: Pick<Operation, 'kind' | 'roots'>): Standing {
  const missing = new Set<string>();
  const closed: string[] = [];
  for (const root of roots) {
    const reason = closedBecause(access, { kind, name: root });
    const scope = scopeOfRoot(access, { kind, name: root });
    if (reason) closed.push(`${root} ${reason}`);
    else if (scope && !reaches(held, scope)) missing.add(scope);
  }
  return { missing: [...missing], closed };
}

export function mayRun(access: Access, held: string[], operation: Pick<Operation, 'kind' | 'roots'>): boolean {
  const { missing, closed } = standingOf(access, held, operation);
  return missing.length === 0 && closed.length === 0;
}

/** Returns the names of the root fields that the user can run here. */
export function openRoots(access: Access, held: string[], kind: Root['kind']): string[] {
  return Object.keys(access[kind]).filter((name) => mayRun(access, held, { kind, roots: [name] }));
}

/** Returns the scope of a root field, or undefined if it requires no scope or is unknown. */
function scopeOfRoot(access: Access, { kind, name }: Root): string | undefined {
  const needs = access[kind][name];
  return needs === 'public' || needs === 'any' ? undefined : needs;
}

function closedBecause(access: Access, { kind, name }: Root): string | undefined {
  const needs = access[kind][name];
  if (needs === 'cookie' || needs === 'client') return 'requires a credential that this page does not send';
  if (needs === 'public' && kind === 'mutation') return 'is available only in the REST API';
  return access.files.includes(name) ? 'returns a file, which only the REST API can send' : undefined;
}
