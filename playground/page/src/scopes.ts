/**
 * The rules for scopes, which the pages use only for display. The service enforces them.
 * `a` grants `a.b`, read-only; `a:write` grants `a`, `a.b` and `a.b:write`.
 */
export interface Scope {
  /** The scope as the service writes it, for example `labs.admin.audit:write`. */
  text: string;
  base: string;
  write: boolean;
}

/** A domain with the scopes that the user has in it. */
export interface Domain {
  name: string;
  scopes: Scope[];
}

export function scopeOf(text: string): Scope {
  const write = text.endsWith(':write');
  return { text, base: write ? text.slice(0, -':write'.length) : text, write };
}

/** Returns whether one of the scopes grants `needed`. */
export function reaches(held: string[], needed: string): boolean {
  const goal = scopeOf(needed);
  return held.map(scopeOf).some((scope) => covers(scope.base, goal.base) && (scope.write || !goal.write));
}

/** Returns the scope of the user that is closest to a missing one: the read scope if the write scope is required. */
export function nearest(held: string[], needed: string): string | undefined {
  const goal = scopeOf(needed);
  return held.find((text) => covers(scopeOf(text).base, goal.base));
}

/** Groups scopes by domain. `labs.admin.…` is one domain; the first segment names the others. */
export function domainsOf(held: string[]): Domain[] {
  const domains = new Map<string, Scope[]>();
  for (const text of [...held].sort()) {
    const scope = scopeOf(text);
    const name = covers('labs.admin', scope.base) ? 'labs.admin' : (scope.base.split('.')[0] ?? scope.base);
    domains.set(name, [...(domains.get(name) ?? []), scope]);
  }
  return [...domains].map(([name, scopes]) => ({ name, scopes }));
}

function covers(base: string, goal: string): boolean {
  return base !== 'labs' && (goal === base || goal.startsWith(`${base}.`));
}
