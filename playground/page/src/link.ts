/** A question as it is handed on: no answer, no token. */
export interface Handed {
  query: string;
  variables: string;
}

/** What the service takes as a query; a link to a longer one would lead nowhere. */
const LONGEST = 16 * 1024;

/** The address of a question. What stands after `#` is not sent to any server. */
export function linkOf({ query, variables }: Handed, base: string): string {
  const parts = new URLSearchParams({ query });
  if (variables.trim() !== '') parts.set('variables', variables);
  return `${base.replace(/#.*$/s, '')}#${parts}`;
}

/** The question that an address hands over, if there is one. */
export function handedBy(hash: string): Handed | null {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const query = parts.get('query') ?? '';
  const variables = parts.get('variables') ?? '';
  return query.trim() === '' || query.length > LONGEST || variables.length > LONGEST ? null : { query, variables };
}
