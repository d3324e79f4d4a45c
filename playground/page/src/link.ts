/** A query that a link contains. It has no response and no token. */
export interface Handed {
  query: string;
  variables: string;
}

/** Maximum length of a query in characters. The service accepts no longer queries. */
const LONGEST = 16 * 1024;

/** Builds the link to a query. Browsers do not send the part after `#` to a server. */
export function linkOf({ query, variables }: Handed, base: string): string {
  const parts = new URLSearchParams({ query });
  if (variables.trim() !== '') parts.set('variables', variables);
  return `${base.replace(/#.*$/s, '')}#${parts}`;
}

/** Returns the query in an address, or null. */
export function handedBy(hash: string): Handed | null {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const query = parts.get('query') ?? '';
  const variables = parts.get('variables') ?? '';
  return query.trim() === '' || query.length > LONGEST || variables.length > LONGEST ? null : { query, variables };
}
