/**
 * The scope law as far as the pages need it, to explain; the service alone decides.
 * `a` grants `a.b`, read-only; `a:write` grants `a`, `a.b` and `a.b:write`.
 */
export interface Scope {
  /** As the service writes it, `labs.admin.audit:write` for example. */
  text: string;
  base: string;
  write: boolean;
}

/** A domain and the scopes held in it. */
export interface Domain {
  name: string;
  scopes: Scope[];
}

export function scopeOf(text: string): Scope {
  const write = text.endsWith(':write');
  return { text, base: write ? text.slice(0, -':write'.length) : text, write };
}

/** Whether a held scope opens what `needed` guards. */
export function reaches(held: string[], needed: string): boolean {
  const goal = scopeOf(needed);
  return held.map(scopeOf).some((scope) => covers(scope.base, goal.base) && (scope.write || !goal.write));
}

/** The held scope that comes nearest to one that is missing: the read side where the write side is needed. */
export function nearest(held: string[], needed: string): string | undefined {
  const goal = scopeOf(needed);
  return held.find((text) => covers(scopeOf(text).base, goal.base));
}

/** Sorted into domains: `labs.admin.…` is one, the first word names the others. */
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
