import type { Operation, Root } from './operation';
import { reaches } from './scopes';

/** What root fields take, as `../plugins.mjs` reads it from the schema. */
export interface Access {
  query: Record<string, string>;
  mutation: Record<string, string>;
  files: string[];
  readers: { field: string; variable: string }[];
  guarded: string[];
}

/** Whether somebody may run an operation here, and what stands in the way. */
export interface Standing {
  /** Scopes that are needed and not held. */
  missing: string[];
  /** Root fields that no scope opens on this page, each with the reason. */
  closed: string[];
}

/** What is known of an operation's root fields before it is sent. The service alone decides. */
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

/** The names of the root fields that somebody may ask here. */
export function openRoots(access: Access, held: string[], kind: Root['kind']): string[] {
  return Object.keys(access[kind]).filter((name) => mayRun(access, held, { kind, roots: [name] }));
}

/** The scope of a root field; none where everybody may ask, and for fields that are not known. */
function scopeOfRoot(access: Access, { kind, name }: Root): string | undefined {
  const needs = access[kind][name];
  return needs === 'public' || needs === 'any' ? undefined : needs;
}

function closedBecause(access: Access, { kind, name }: Root): string | undefined {
  const needs = access[kind][name];
  if (needs === 'cookie' || needs === 'client') return 'takes a credential that this page does not send';
  if (needs === 'public' && kind === 'mutation') return 'is called at the REST API only';
  return access.files.includes(name) ? 'answers a file, which the REST API gives' : undefined;
}
