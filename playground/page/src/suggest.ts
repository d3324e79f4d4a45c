/** Returns at most three names that are similar to an unknown one, most similar first. */
export function nearestNames(wanted: string, names: string[]): string[] {
  const most = Math.max(2, Math.floor(wanted.length * 0.25));
  const near = names
    .map((name) => ({ name, far: distance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far || a.name.localeCompare(b.name, 'en'));
  const nearest = near[0]?.far ?? 0;
  return near.filter(({ far }) => far <= nearest + 1).slice(0, 3).map(({ name }) => name);
}

/** Returns `Did you mean "a" or "b"?`, or an empty text if there are no names. */
export function didYouMean(names: string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  const last = quoted.pop();
  if (!last) return '';
  return `Did you mean ${quoted.length > 0 ? `${quoted.join(', ')} or ` : ''}${last}?`;
}

const UNKNOWN_FIELD = /^Cannot query field "(\w+)" on type "(Query|Mutation)"\./;

/** Rewrites the editor's message about an unknown root field, so that it suggests only fields that the user can query. */
export function withOpenNames(message: string, open: (type: 'Query' | 'Mutation') => string[]): string {
  const [start, wanted, type] = UNKNOWN_FIELD.exec(message) ?? [];
  if (!start || !wanted || (type !== 'Query' && type !== 'Mutation')) return message;
  return `${start} ${didYouMean(nearestNames(wanted, open(type)))}`.trim();
}

/** Levenshtein distance between two words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min((row[j] ?? 0) + (letter === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
